#pragma once

#include <stop_token>
#include <utility>

#include "lockstep/blocking/owned.h"

namespace lockstep::blocking {

// The functions of a SharedTimedLockable for readers, over an Owned: see ExclusiveCalls.
template <class Base, auto kAcquire, auto kTryAcquire>
class SharedCalls : public Base {
 public:
  // These wait until the caller holds a share. A stop ends the wait with operation_canceled.
  void lock_shared() { this->take(kAcquire, Context(), "lock_shared()"); }
  void lock_shared(std::stop_token stop) {
    this->take(kAcquire, Context(std::move(stop)), "lock_shared()");
  }
  // These return false if a writer has the lock, or has had it all the time.
  [[nodiscard]] bool try_lock_shared() {
    return this->try_take_at_once(kTryAcquire, "try_lock_shared()");
  }
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_shared_for(std::chrono::duration<Rep, Period> wait,
                                         std::stop_token stop = {}) {
    return this->try_take(kAcquire, this->within(wait, std::move(stop)), "try_lock_shared_for()");
  }
  template <class Unit>
  [[nodiscard]] bool try_lock_shared_until(std::chrono::time_point<Clock, Unit> deadline,
                                           std::stop_token stop = {}) {
    return this->try_take(kAcquire, until(deadline, std::move(stop)), "try_lock_shared_until()");
  }
  // These wait for ZooKeeper's answer as long as Bounds::release_patience says.
  void unlock_shared() { static_cast<void>(this->give_back(Share::kShared, "unlock_shared()")); }
  ReleaseOutcome release_shared() { return this->give_back(Share::kShared, "release_shared()"); }

 protected:
  using Base::Base;
  ~SharedCalls() = default;
};

}  // namespace lockstep::blocking
