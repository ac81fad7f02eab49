#pragma once

#include "lockstep/blocking/lock.h"
#include "lockstep/on_client.h"
#include "lockstep/read_write_lock.h"

namespace lockstep::blocking {

// A ReadWriteLock as std::shared_timed_mutex (SharedTimedLockable): std::unique_lock writes,
// std::shared_lock reads. Errors, callers, deadlines: see Lock. A caller holds it once, to read or
// to write.
template <class Source>
class SharedMutex : public Lock<Source> {
 public:
  SharedMutex(Client& client, Path lock, LockObserver* observer = nullptr)
      : Lock<Source>(Source(client, std::move(lock), observer)) {}

  void lock() { this->take(kWrite, Context(), "lock()"); }
  [[nodiscard]] bool try_lock() { return this->try_take(kTryWrite, Context(), "try_lock()"); }
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(std::chrono::duration<Rep, Period> wait) {
    return this->try_take(kWrite, this->within(wait), "try_lock_for()");
  }
  template <class Unit>
  [[nodiscard]] bool try_lock_until(std::chrono::time_point<Clock, Unit> deadline) {
    const Context context(std::chrono::time_point_cast<Duration>(deadline));
    return this->try_take(kWrite, context, "try_lock_until()");
  }
  void unlock() { static_cast<void>(release()); }
  // See Mutex::release().
  ReleaseOutcome release() { return this->give_back(Share::kExclusive); }

  void lock_shared() { this->take(kRead, Context(), "lock_shared()"); }
  [[nodiscard]] bool try_lock_shared() {
    return this->try_take(kTryRead, Context(), "try_lock_shared()");
  }
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_shared_for(std::chrono::duration<Rep, Period> wait) {
    return this->try_take(kRead, this->within(wait), "try_lock_shared_for()");
  }
  template <class Unit>
  [[nodiscard]] bool try_lock_shared_until(std::chrono::time_point<Clock, Unit> deadline) {
    const Context context(std::chrono::time_point_cast<Duration>(deadline));
    return this->try_take(kRead, context, "try_lock_shared_until()");
  }
  void unlock_shared() { static_cast<void>(release_shared()); }
  ReleaseOutcome release_shared() { return this->give_back(Share::kShared); }

  // From writing to reading, and back, with no other writer in between: see
  // lockstep::ReadWriteLock. Afterwards the caller unlocks what it has then, so a std::shared_lock
  // or std::unique_lock has to let go of the lock before (release()). They throw what hinders them,
  // and then leave the caller with what it had; device_or_resource_busy if another writer waits
  // already.
  void downgrade() {
    const Result<void> changed = this->change(kDowngrade, Share::kExclusive, Context());
    if (!changed) lockstep::internal::throw_error(changed.error(), "downgrade()");
  }
  void upgrade() {
    const Result<void> changed = this->change(kUpgrade, Share::kShared, Context());
    if (!changed) lockstep::internal::throw_error(changed.error(), "upgrade()");
  }
  // False if another writer waits already, or time is up.
  template <class Rep, class Period>
  [[nodiscard]] bool try_upgrade_for(std::chrono::duration<Rep, Period> wait) {
    const Result<void> changed = this->change(kUpgrade, Share::kShared, this->within(wait));
    if (changed) return true;
    const Error error = changed.error();
    if (error == Error::kConflict || error == Error::kTimedOut) return false;
    lockstep::internal::throw_error(error, "try_upgrade_for()");
  }

 private:
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
