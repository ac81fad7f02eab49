#pragma once

#include <cstddef>
#include <list>

#include "lockstep/blocking/lock.h"
#include "lockstep/on_client.h"
#include "lockstep/semaphore.h"

namespace lockstep::blocking {

// A Semaphore as std::counting_semaphore: what is acquired belongs to this object, not to the
// caller, and anybody may release it. Leases that are lost meanwhile are released like the others.
// Errors and deadlines: see Lock; release() of more leases than there are throws
// operation_not_permitted and releases none. No lease may be left when it is destroyed (checked).
class Semaphore {
 public:
  // `leases`: the same number for everybody who uses this path.
  Semaphore(Client& client, Path path, std::int32_t leases, LockObserver* observer = nullptr)
      : source_(client, std::move(path), leases, observer) {}
  // As many as the znode `count` says: see lockstep::Semaphore.
  Semaphore(Client& client, Path path, Path count, LockObserver* observer = nullptr)
      : source_(client, std::move(path), std::move(count), observer) {}
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;
  ~Semaphore();

  void acquire();
  [[nodiscard]] bool try_acquire();
  template <class Rep, class Period>
  [[nodiscard]] bool try_acquire_for(std::chrono::duration<Rep, Period> wait) {
    return try_take(true, within(executor(), wait), "try_acquire_for()");
  }
  template <class Unit>
  [[nodiscard]] bool try_acquire_until(std::chrono::time_point<Clock, Unit> deadline) {
    const Context context(std::chrono::time_point_cast<Duration>(deadline));
    return try_take(true, context, "try_acquire_until()");
  }
  // The oldest leases first; each as Mutex::release().
  void release(std::ptrdiff_t count = 1);

 private:
  using Source = OnClient<lockstep::Semaphore>;
  using Leases = std::list<ClientGrant>;

  [[nodiscard]] Executor& executor() const { return source_.client().executor(); }
  Result<void> take(bool waits, Context context);
  bool try_take(bool waits, Context context, const char* what);
  static Task<Result<void>> enter(Source& source, Leases& leases, bool waits, Context context);
  static Task<ReleaseOutcome> leave(Leases& leases, std::ptrdiff_t count);

  Source source_;
  Leases leases_;
};

}  // namespace lockstep::blocking
