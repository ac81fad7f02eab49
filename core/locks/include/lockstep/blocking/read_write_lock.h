#pragma once

#include <concepts>
#include <stop_token>

#include "lockstep/blocking/exclusive_calls.h"
#include "lockstep/blocking/lock.h"
#include "lockstep/blocking/shared_calls.h"
#include "lockstep/on_client.h"
#include "lockstep/read_write_lock.h"

namespace lockstep {

namespace internal {

inline constexpr auto kAcquireRead = [](auto& recipe, Context context) {
  return recipe.acquire_read(std::move(context));
};
inline constexpr auto kTryAcquireRead = [](auto& recipe, Context context) {
  return recipe.try_acquire_read(std::move(context));
};
inline constexpr auto kAcquireWrite = [](auto& recipe, Context context) {
  return recipe.acquire_write(std::move(context));
};
inline constexpr auto kTryAcquireWrite = [](auto& recipe, Context context) {
  return recipe.try_acquire_write(std::move(context));
};

template <class Source>
using ReadWriteCalls = blocking::SharedCalls<
    blocking::ExclusiveCalls<blocking::Lock<Source>, kAcquireWrite, kTryAcquireWrite>, kAcquireRead,
    kTryAcquireRead>;

}  // namespace internal

namespace blocking {

// A ReadWriteLock as std::shared_timed_mutex (SharedTimedLockable): std::unique_lock writes,
// std::shared_lock reads. Errors, callers, deadlines: see Owned. A caller holds it at most once, to
// read or to write.
template <class Source>
class SharedMutex : public lockstep::internal::ReadWriteCalls<Source> {
 public:
  SharedMutex(Client& client, const Path& lock, LockObserver* observer = nullptr)
      : SharedMutex(client, lock, Bounds(), observer) {}
  SharedMutex(Client& client, const Path& lock, LockOptions options,
              LockObserver* observer = nullptr)
      : SharedMutex(client, lock, Bounds(), std::move(options), observer) {}
  // These constructors take bounds other than the default.
  template <class... What>
    requires std::constructible_from<Source, Client&, Path, What...>
  SharedMutex(Client& client, const Path& lock, Bounds bounds, What... what)
      : SharedMutex::SharedCalls(Source(client, lock, std::move(what)...), lock, bounds) {}

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

  static constexpr auto kDowngrade = [](auto& recipe, HeldLock& held, Context context) {
    return recipe.downgrade(held, std::move(context));
  };
  static constexpr auto kUpgrade = [](auto& recipe, HeldLock& held, Context context) {
    return recipe.upgrade(held, std::move(context));
  };
};

using ReadWriteLock = SharedMutex<OnClient<lockstep::ReadWriteLock>>;

}  // namespace blocking

}  // namespace lockstep
