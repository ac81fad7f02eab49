#pragma once

#include <concepts>

#include "lockstep/blocking/exclusive_calls.h"
#include "lockstep/blocking/lock.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/on_client.h"
#include "lockstep/unfair_mutex.h"

namespace lockstep::blocking {

// A mutex on ZooKeeper with the interface of the standard library's mutexes (TimedLockable): works
// with std::unique_lock, std::lock_guard and std::scoped_lock. Errors, callers, deadlines: see
// Owned.
//
//   blocking::FairMutex mutex(client, "/locks/nightly");
//   const std::unique_lock lock(mutex, 30s);
//   if (!lock) return;  // Another contender held it all the time.
//   write(mutex.fencing_token());
//
// It uses its client's sessions: if a session expires while lock() waits, lock() throws that error,
// unless the Source is Rejoining<...>; the next lock() uses the next session.
template <class Source, Reentry kReentry = Reentry::kForbidden>
class Mutex : public ExclusiveCalls<Lock<Source, kReentry, lockstep::internal::GrantOf<Source>>,
                                    kAcquire, kTryAcquire> {
  using Base = typename Mutex::ExclusiveCalls;

 public:
  Mutex(Client& client, const Path& lock, LockObserver* observer = nullptr)
      : Mutex(client, lock, Bounds(), observer) {}
  Mutex(Client& client, const Path& lock, LockOptions options, LockObserver* observer = nullptr)
    requires std::constructible_from<Source, Client&, Path, LockOptions, LockObserver*>
      : Mutex(client, lock, Bounds(), std::move(options), observer) {}

  // For a mutex that is one znode: `data` describes its holder.
  Mutex(Client& client, const Path& lock, Data data, LockObserver* observer = nullptr)
    requires std::constructible_from<Source, Client&, Path, Data, LockObserver*>
      : Mutex(client, lock, Bounds(), std::move(data), observer) {}

  // These constructors take bounds other than the default.
  template <class... What>
    requires std::constructible_from<Source, Client&, Path, What...>
  Mutex(Client& client, const Path& lock, Bounds bounds, What... what)
      : Base(Source(client, lock, std::move(what)...), lock, bounds) {}
};

using FairMutex = Mutex<OnClient<lockstep::FairMutex>>;
using UnfairMutex = Mutex<OnClient<lockstep::UnfairMutex>>;
// The holder may lock it again, which costs no request, and has to unlock it as often. Once the
// lock is lost, lock() throws the cause of the loss until every hold has been unlocked.
using RecursiveMutex = Mutex<OnClient<lockstep::FairMutex>, Reentry::kAllowed>;

}  // namespace lockstep::blocking
