#pragma once

#include <stop_token>
#include <type_traits>
#include <utility>

#include "lockstep/blocking/owned.h"

namespace lockstep::blocking {

// For a recipe that cannot be tried without a wait.
struct NoTry {};

// The functions of a TimedLockable, over an Owned. kAcquire(recipe, context) and
// kTryAcquire(recipe, context) are the recipe's ways to acquire. Errors, callers, deadlines: see
// Owned.
template <class Base, auto kAcquire, auto kTryAcquire = NoTry{}>
class ExclusiveCalls : public Base {
 public:
  // Waits until the caller holds the lock.
  void lock() { this->take(kAcquire, Context(), "lock()"); }
  // Throws operation_canceled when it is stopped, from any thread, since it cannot return without
  // the lock.
  void lock(std::stop_token stop) { this->take(kAcquire, Context(std::move(stop)), "lock()"); }
  // These return false if another contender has it, or has had it all the time.
  [[nodiscard]] bool try_lock()
    requires(!std::is_same_v<decltype(kTryAcquire), const NoTry>)
  {
    return this->try_take_at_once(kTryAcquire, "try_lock()");
  }
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(std::chrono::duration<Rep, Period> wait,
                                  std::stop_token stop = {}) {
    return this->try_take(kAcquire, this->within(wait, std::move(stop)), "try_lock_for()");
  }
  // Times are on the library's clock, which is the executor's.
  template <class Unit>
  [[nodiscard]] bool try_lock_until(std::chrono::time_point<Clock, Unit> deadline,
                                    std::stop_token stop = {}) {
    return this->try_take(kAcquire, until(deadline, std::move(stop)), "try_lock_until()");
  }

  // Waits for ZooKeeper's answer as long as Bounds::release_patience says.
  void unlock() { static_cast<void>(this->give_back(Share::kExclusive, "unlock()")); }
  // The same, and returns the outcome: kUnknown if the answer has not come by then.
  ReleaseOutcome release() { return this->give_back(Share::kExclusive, "release()"); }

 protected:
  using Base::Base;
  ~ExclusiveCalls() = default;
};

}  // namespace lockstep::blocking
