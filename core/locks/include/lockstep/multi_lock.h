#pragma once

#include <vector>

#include "lockstep/held_locks.h"
#include "lockstep/internal/task_count.h"
#include "lockstep/lock_observer.h"
#include "lockstep/lock_options.h"
#include "lockstep/lock_set.h"
#include "lockstep/ok.h"
#include "lockstep/session.h"
#include "lockstep/within.h"

namespace lockstep {

// Several locks as one: all of them or none. They may be of any recipe: mutexes, a side of a
// read/write lock, leases of a semaphore (LockSet). It takes them one after the other in the order
// of their paths, in whatever order they are named, so that two contenders for the same locks do
// not wait for each other. Every process has to follow that order, and the holder of one of the
// locks must not acquire it again. (Curator's InterProcessMultiLock takes any recipe too, in the
// order given.)
//
// acquire() resolves with all grants, or with the first error of a recipe, or the cause of the loss
// if one of the grants is lost before the last one is there, or kBadArguments if there are no
// locks, or if one path is named in two different ways; after an error the locks taken so far are
// released in the background. One deadline for all. Guarantees, executor and lifetimes:
// as those of the recipes.
class MultiLock {
 public:
  // A path that is named twice in the same way counts once, with the options named first.
  MultiLock(Session& session, LockSet locks, LockObserver* observer = nullptr);
  // Fair mutexes.
  MultiLock(Session& session, std::vector<Path> locks, LockObserver* observer = nullptr)
      : MultiLock(session, std::move(locks), LockOptions(), observer) {}
  // Each of the locks has these options.
  MultiLock(Session& session, std::vector<Path> locks, const LockOptions& options,
            LockObserver* observer = nullptr);

  Task<Result<HeldLocks>> acquire(Context context = {}) {
    return acquire(One(tasks_), std::move(context));
  }
  // With a deadline that is this far from now.
  Task<Result<HeldLocks>> acquire(Duration wait) {
    return acquire(within(session_.executor(), wait));
  }

 private:
  using One = internal::TaskCount::One;

  [[nodiscard]] Result<void> valid() const;
  Task<Result<HeldLocks>> acquire(One counted, Context context);
  Task<Result<void>> acquire_each(std::vector<HeldLock>& held, Context context);

  Session& session_;
  std::vector<LockSet::Member> locks_;
  LockObserver* observer_;
  internal::TaskCount tasks_{"a MultiLock must outlive the tasks of its acquires"};
};

}  // namespace lockstep
