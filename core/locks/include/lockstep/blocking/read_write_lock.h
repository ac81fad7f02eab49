#pragma once

#include <concepts>
#include <stop_token>

#include "lockstep/blocking/lock.h"
#include "lockstep/on_client.h"
#include "lockstep/read_write_lock.h"

namespace lockstep::blocking {

// A ReadWriteLock as std::shared_timed_mutex (SharedTimedLockable): std::unique_lock writes,
// std::shared_lock reads. Errors, callers, deadlines: see Owned. A caller holds it at most once, to
// read or to write.
template <class Source>
class SharedMutex : public Lock<Source> {
 public:
  SharedMutex(Client& client, Path lock, LockObserver* observer = nullptr)
      : SharedMutex(client, std::move(lock), Bounds(), observer) {}
  SharedMutex(Client& client, Path lock, LockOptions options, LockObserver* observer = nullptr)
      : SharedMutex(client, std::move(lock), Bounds(), std::move(options), observer) {}
  // These constructors take bounds other than the default.
  template <class... What>
    requires std::constructible_from<Source, Client&, Path, What...>
  SharedMutex(Client& client, const Path& lock, Bounds bounds, What... what)
      : Lock<Source>(Source(client, lock, std::move(what)...), lock, bounds) {}

  // See Mutex, also for the functions with a stop token.
  void lock() { this->take(kWrite, Context(), "lock()"); }
  void lock(std::stop_token stop) { this->take(kWrite, Context(std::move(stop)), "lock()"); }
  [[nodiscard]] bool try_lock() { return this->try_take_at_once(kTryWrite, "try_lock()"); }
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(std::chrono::duration<Rep, Period> wait,
                                  std::stop_token stop = {}) {
    return this->try_take(kWrite, this->within(wait, std::move(stop)), "try_lock_for()");
  }
  template <class Unit>
  [[nodiscard]] bool try_lock_until(std::chrono::time_point<Clock, Unit> deadline,
                                    std::stop_token stop = {}) {
    return this->try_take(kWrite, until(deadline, std::move(stop)), "try_lock_until()");
  }
  void unlock() { static_cast<void>(this->give_back(Share::kExclusive, "unlock()")); }
  // See Mutex::release().
  ReleaseOutcome release() { return this->give_back(Share::kExclusive, "release()"); }

  // The same for readers.
  void lock_shared() { this->take(kRead, Context(), "lock_shared()"); }
  void lock_shared(std::stop_token stop) {
    this->take(kRead, Context(std::move(stop)), "lock_shared()");
  }
  [[nodiscard]] bool try_lock_shared() {
    return this->try_take_at_once(kTryRead, "try_lock_shared()");
  }
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_shared_for(std::chrono::duration<Rep, Period> wait,
                                         std::stop_token stop = {}) {
    return this->try_take(kRead, this->within(wait, std::move(stop)), "try_lock_shared_for()");
  }
  template <class Unit>
  [[nodiscard]] bool try_lock_shared_until(std::chrono::time_point<Clock, Unit> deadline,
                                           std::stop_token stop = {}) {
    return this->try_take(kRead, until(deadline, std::move(stop)), "try_lock_shared_until()");
  }
  void unlock_shared() { static_cast<void>(this->give_back(Share::kShared, "unlock_shared()")); }
  ReleaseOutcome release_shared() { return this->give_back(Share::kShared, "release_shared()"); }

  // Change a writer into a reader, and back, with no other writer in between: see
  // lockstep::ReadWriteLock. The caller then unlocks its new kind of hold, so a std::shared_lock or
  // std::unique_lock has to be disassociated first (release()). On failure they throw and leave the
  // caller's hold as it was; device_or_resource_busy if another writer waits already.
  void downgrade(std::stop_token stop = {}) {
    change_or_throw(kDowngrade, Share::kExclusive, std::move(stop), "downgrade()");
  }
  void upgrade(std::stop_token stop = {}) {
    change_or_throw(kUpgrade, Share::kShared, std::move(stop), "upgrade()");
  }
  // Returns false if another writer waits already, or at the deadline.
  template <class Rep, class Period>
  [[nodiscard]] bool try_upgrade_for(std::chrono::duration<Rep, Period> wait,
                                     std::stop_token stop = {}) {
    constexpr const char* kWhat = "try_upgrade_for()";
    const Result<void> changed =
        this->change(kUpgrade, Share::kShared, this->within(wait, std::move(stop)), kWhat);
    if (changed) return true;
    const Error error = changed.error();
    if (error == Error::kConflict || error == Error::kTimedOut) return false;
    this->fail(error, kWhat);
  }

 private:
  template <class Way>
  void change_or_throw(Way way, Share from, std::stop_token stop, const char* what) {
    const Result<void> changed = this->change(way, from, Context(std::move(stop)), what);
    if (!changed) this->fail(changed.error(), what);
  }

  static constexpr auto kRead = [](auto& recipe, Context context) {
    return recipe.acquire_read(std::move(context));
  };
  static constexpr auto kTryRead = [](auto& recipe, Context context) {
    return recipe.try_acquire_read(std::move(context));
  };
  static constexpr auto kWrite = [](auto& recipe, Context context) {
    return recipe.acquire_write(std::move(context));
  };
  static constexpr auto kTryWrite = [](auto& recipe, Context context) {
    return recipe.try_acquire_write(std::move(context));
  };
  static constexpr auto kDowngrade = [](auto& recipe, HeldLock& held, Context context) {
    return recipe.downgrade(held, std::move(context));
  };
  static constexpr auto kUpgrade = [](auto& recipe, HeldLock& held, Context context) {
    return recipe.upgrade(held, std::move(context));
  };
};

using ReadWriteLock = SharedMutex<OnClient<lockstep::ReadWriteLock>>;

}  // namespace lockstep::blocking
