#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <stop_token>
#include <string>

#include "lockstep/blocking/bounds.h"
#include "lockstep/internal/lock_calls.h"
#include "lockstep/on_client.h"
#include "lockstep/semaphore.h"
#include "lockstep/turn.h"

namespace lockstep::blocking {

// A Semaphore as std::counting_semaphore: leases belong to this object, not to the caller, and any
// caller may release them. Lost leases are released like the others. Errors, deadlines and stop
// tokens: see Owned and Mutex; release() of more leases than there are throws
// operation_not_permitted and releases none. Each acquiring function has a form for several leases,
// which takes all of them or none (kBadArguments: less than one, or more than there can be). No
// lease may be left and no call may wait when it is destroyed (checked).
// Forked children: see Owned.
class Semaphore : private lockstep::internal::LockCalls {
 public:
  Semaphore(Client& client, Path path, LeaseCount leases, LockObserver* observer = nullptr)
      : Semaphore(client, std::move(path), Bounds(), std::move(leases), observer) {}
  Semaphore(Client& client, Path path, LeaseCount leases, LockOptions options,
            LockObserver* observer = nullptr)
      : Semaphore(client, std::move(path), Bounds(), std::move(leases), std::move(options),
                  observer) {}
  // These constructors take bounds other than the default.
  template <class... What>
  Semaphore(Client& client, Path path, Bounds bounds, LeaseCount leases, What... what)
      : LockCalls(path, bounds),
        source_(client, std::move(path), std::move(leases), std::move(what)...) {}
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;
  ~Semaphore();

  // One lease, or several: see Mutex for the forms.
  void acquire(std::stop_token stop = {}) { acquire(1, std::move(stop)); }
  void acquire(std::int32_t leases, std::stop_token stop = {});
  [[nodiscard]] bool try_acquire(std::int32_t leases = 1);
  template <class Rep, class Period>
  [[nodiscard]] bool try_acquire_for(std::chrono::duration<Rep, Period> wait,
                                     std::stop_token stop = {}) {
    return try_acquire_for(1, wait, std::move(stop));
  }
  template <class Rep, class Period>
  [[nodiscard]] bool try_acquire_for(std::int32_t leases, std::chrono::duration<Rep, Period> wait,
                                     std::stop_token stop = {}) {
    return try_take(leases, within(executor(), wait, std::move(stop)), "try_acquire_for()");
  }
  template <class Unit>
  [[nodiscard]] bool try_acquire_until(std::chrono::time_point<Clock, Unit> deadline,
                                       std::stop_token stop = {}) {
    return try_acquire_until(1, deadline, std::move(stop));
  }
  template <class Unit>
  [[nodiscard]] bool try_acquire_until(std::int32_t leases,
                                       std::chrono::time_point<Clock, Unit> deadline,
                                       std::stop_token stop = {}) {
    return try_take(leases, until(deadline, std::move(stop)), "try_acquire_until()");
  }
  // Releases the oldest leases first. Waits for ZooKeeper's answers no longer than
  // Bounds::release_patience in all.
  void release(std::ptrdiff_t count = 1);

 private:
  using Source = OnClient<lockstep::Semaphore>;
  using Leases = std::list<ClientGrant>;

  [[nodiscard]] Executor& executor() const { return source_.client().executor(); }
  lockstep::internal::Attempt attempt(std::int32_t leases, Patience patience, Context context,
                                      const char* what);
  bool try_take(std::int32_t leases, Context context, const char* what);
  static Task<Result<void>> enter(Semaphore& self, std::int32_t leases, Patience patience,
                                  Context context, std::string& last_failure);
  static Task<ReleaseOutcome> leave(Leases& leases, std::ptrdiff_t count, Context patience);

  Source source_;
  Leases leases_;
};

}  // namespace lockstep::blocking
