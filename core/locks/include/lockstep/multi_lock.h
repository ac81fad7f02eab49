#pragma once

#include <vector>

#include "lockstep/held_lock.h"
#include "lockstep/lock_observer.h"
#include "lockstep/lock_options.h"
#include "lockstep/ok.h"
#include "lockstep/session.h"
#include "lockstep/within.h"

namespace lockstep {

// Several locks that are held as one. Movable; destroying it releases them in the background.
class HeldLocks {
 public:
  explicit HeldLocks(std::vector<HeldLock> held) : held_(std::move(held)) {}

  // In the canonical order. Each has its own fencing token, and its own lost_token(): one that is
  // lost leaves the others held.
  [[nodiscard]] const std::vector<HeldLock>& each() const { return held_; }
  // The worst of them: lost before suspect before held; kReleased once release() was called.
  [[nodiscard]] LockState state() const;
  // Gives all of them back, the last one first. The worst outcome: unknown before already lost
  // before released. Idempotent.
  Task<ReleaseOutcome> release(Context context = {});

 private:
  std::vector<HeldLock> held_;
};

// Several fair mutexes as one: all of them or none. They are taken one after the other in the order
// of their paths, whatever order they are named in, so that two that want the same locks do not
// wait for each other. Every process has to keep to that: a lock that is held already must not be
// wanted once more.
//
// acquire() resolves with all grants, or with the first error of a FairMutex, or kBadArguments if
// there are no locks; what was taken by then is given back in the background. One deadline for all.
// Guarantees, executor and lifetimes: as FairMutex.
class MultiLock {
 public:
  // A path that is named twice counts once.
  MultiLock(Session& session, std::vector<Path> locks, LockObserver* observer = nullptr)
      : MultiLock(session, std::move(locks), LockOptions(), observer) {}
  // Each of the locks has these options.
  MultiLock(Session& session, std::vector<Path> locks, LockOptions options,
            LockObserver* observer = nullptr);

  Task<Result<HeldLocks>> acquire(Context context = {});
  // Within that time, from now on.
  Task<Result<HeldLocks>> acquire(Duration wait) {
    return acquire(within(session_.executor(), wait));
  }

 private:
  Task<Result<void>> acquire_each(std::vector<HeldLock>& held, Context context);

  Session& session_;
  std::vector<Path> locks_;
  LockOptions options_;
  LockObserver* observer_;
};

}  // namespace lockstep
