#pragma once

#include "lockstep/blocking/lock.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/on_client.h"
#include "lockstep/unfair_mutex.h"

namespace lockstep::blocking {

// A mutex of ZooKeeper's as the standard library's mutexes are (TimedLockable): works with
// std::unique_lock, std::lock_guard and std::scoped_lock. Errors, callers, deadlines: see Lock.
//
//   blocking::FairMutex mutex(client, "/locks/nightly");
//   const std::unique_lock lock(mutex, 30s);
//   if (lock) write(mutex.fencing_token());
//
// On its client's sessions: one that expires while lock() waits ends lock() with that error, unless
// the Source is Rejoining<...>; the next lock() uses the next session.
template <class Source, Reentry kReentry = Reentry::kForbidden>
class Mutex : public Lock<Source> {
 public:
  Mutex(Client& client, Path lock, LockObserver* observer = nullptr)
      : Lock<Source>(Source(client, std::move(lock), observer), kReentry) {}
  Mutex(Client& client, Path lock, LockOptions options, LockObserver* observer = nullptr)
    requires std::constructible_from<Source, Client&, Path, LockOptions, LockObserver*>
      : Lock<Source>(Source(client, std::move(lock), std::move(options), observer), kReentry) {}

  // A mutex that is one znode: what that says of its holder.
  Mutex(Client& client, Path lock, Data data, LockObserver* observer = nullptr)
    requires std::constructible_from<Source, Client&, Path, Data, LockObserver*>
      : Lock<Source>(Source(client, std::move(lock), std::move(data), observer), kReentry) {}

  void lock() { this->take(kAcquire, Context(), "lock()"); }
  // Until it is stopped, from any thread: then operation_canceled.
  void lock(std::stop_token stop) { this->take(kAcquire, Context(std::move(stop)), "lock()"); }
  [[nodiscard]] bool try_lock() { return this->try_take(kTryAcquire, Context(), "try_lock()"); }
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(std::chrono::duration<Rep, Period> wait) {
    return this->try_take(kAcquire, this->within(wait), "try_lock_for()");
  }
  // By the library's clock, which is the executor's.
  template <class Unit>
  [[nodiscard]] bool try_lock_until(std::chrono::time_point<Clock, Unit> deadline) {
    const Context context(std::chrono::time_point_cast<Duration>(deadline));
    return this->try_take(kAcquire, context, "try_lock_until()");
  }

  void unlock() { static_cast<void>(release()); }
  // The same, and tells how it ended. If ZooKeeper does not answer within the session timeout, the
  // deletion goes on in the background, and the outcome is kUnknown.
  ReleaseOutcome release() { return this->give_back(Share::kExclusive); }
};

using FairMutex = Mutex<OnClient<lockstep::FairMutex>>;
using UnfairMutex = Mutex<OnClient<lockstep::UnfairMutex>>;
// The caller that holds it may lock it again, which costs no request, and unlocks it as often. Once
// the lock is lost, lock() throws the cause of that, until every hold has been unlocked.
using RecursiveMutex = Mutex<OnClient<lockstep::FairMutex>, Reentry::kAllowed>;

}  // namespace lockstep::blocking
