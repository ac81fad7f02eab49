#pragma once

#include <vector>

#include "lockstep/contenders.h"
#include "lockstep/held_lock.h"
#include "lockstep/internal/task_count.h"
#include "lockstep/lock_observer.h"
#include "lockstep/lock_options.h"
#include "lockstep/ok.h"
#include "lockstep/session.h"
#include "lockstep/turn.h"
#include "lockstep/within.h"

namespace lockstep {

namespace internal {
class CleanupEnd;
}

// A lock held either by one writer or by any number of readers; fair: later contenders wait for
// earlier ones, so neither kind starves the other. (ZooKeeper Recipes and Solutions, "Shared
// Locks"; Curator's InterProcessReadWriteLock uses the same znodes.)
//
// The acquires resolve with the grant, or with the errors of FairMutex; the try_ acquires do not
// wait and return kConflict instead. Two functions change a grant in place:
//
//   downgrade()  turns a write grant into a read grant, without a moment in which another writer
//                could come in between: the reader inherits the writer's place in the queue (as
//                Curator's does since 5.5) and its fencing token.
//   upgrade()    turns a read grant into a write grant once the other readers have gone. kConflict
//                if another writer waits already: the two would wait for each other. Of two readers
//                that upgrade, one therefore gets kConflict and has to release its read grant.
//                An upgrade of a grant whose earlier upgrade failed first waits until the writer
//                of that one is deleted, try_upgrade() too.
//
// If they fail, both leave the grant as it was, and clean up in the background. Errors:
// kBadArguments if the grant is of another lock, of the other kind, or released; its cause() if it
// is lost; kNoNode if its znode was deleted. The grant outlives the task and is not used meanwhile.
// The new grant has tokens of its own. If a client has asked for the old one (LockOptions::
// revocable), the new one is asked for too, and its grace period begins then.
//
// revoke(session, lock, kReadWriteMarks) asks all holders, readers or the writer, to release it.
//
// Exclusion, fencing, cancellation, executor and lifetimes: as FairMutex. Write tokens exceed all
// tokens before them; read tokens have no order among themselves.
class ReadWriteLock {
 public:
  // `lock` is the parent of the contenders' znodes; it is created as a container when missing.
  ReadWriteLock(Session& session, Path lock, LockObserver* observer = nullptr)
      : ReadWriteLock(session, std::move(lock), LockOptions(), observer) {}
  // The options apply to readers and writers, before and after a change.
  ReadWriteLock(Session& session, Path lock, LockOptions options, LockObserver* observer = nullptr)
      : session_(session),
        lock_(std::move(lock)),
        options_(std::move(options)),
        observer_(observer) {}

  // The try_ acquires do not wait for other contenders.
  Task<Result<HeldLock>> acquire_read(Context context = {}) {
    return acquire(One(tasks_), Share::kShared, Patience::kWaits, std::move(context));
  }
  Task<Result<HeldLock>> acquire_write(Context context = {}) {
    return acquire(One(tasks_), Share::kExclusive, Patience::kWaits, std::move(context));
  }
  Task<Result<HeldLock>> try_acquire_read(Context context = {}) {
    return acquire(One(tasks_), Share::kShared, Patience::kDoesNotWait, std::move(context));
  }
  Task<Result<HeldLock>> try_acquire_write(Context context = {}) {
    return acquire(One(tasks_), Share::kExclusive, Patience::kDoesNotWait, std::move(context));
  }
  // With a deadline that is this far from now.
  Task<Result<HeldLock>> acquire_read(Duration wait) {
    return acquire_read(within(executor(), wait));
  }
  Task<Result<HeldLock>> acquire_write(Duration wait) {
    return acquire_write(within(executor(), wait));
  }
  Task<Result<HeldLock>> try_acquire_read(Duration wait) {
    return try_acquire_read(within(executor(), wait));
  }
  Task<Result<HeldLock>> try_acquire_write(Duration wait) {
    return try_acquire_write(within(executor(), wait));
  }
  // On success `held` is the new grant.
  Task<Result<void>> downgrade(HeldLock& held, Context context = {}) {
    return downgrade(One(tasks_), held, std::move(context));
  }
  Task<Result<void>> upgrade(HeldLock& held, Context context = {}) {
    return upgrade(One(tasks_), held, Patience::kWaitsToShare, std::move(context));
  }
  // Does not wait: kConflict also if there is another reader.
  Task<Result<void>> try_upgrade(HeldLock& held, Context context = {}) {
    return upgrade(One(tasks_), held, Patience::kDoesNotWait, std::move(context));
  }

  // The holders and waiters: see contenders_of().
  Task<Result<std::vector<QueueEntry>>> contenders(Context context = {}) {
    return contenders_of(session_, lock_, kReadWriteMarks, std::move(context));
  }

 private:
  using One = internal::TaskCount::One;

  [[nodiscard]] Executor& executor() const { return session_.executor(); }
  Task<Result<HeldLock>> acquire(One counted, Share share, Patience patience, Context context);
  Task<Result<HeldLock>> queue_up(Share share, Path own, Patience patience, Context context,
                                  internal::CleanupEnd end);
  Task<Result<HeldLock>> queue_up_to_upgrade(HeldLock& held, Patience patience, Context context);
  Task<Result<void>> upgrade(One counted, HeldLock& held, Patience patience, Context context);
  Task<Result<void>> downgrade(One counted, HeldLock& held, Context context);
  Task<Result<HeldLock>> inherit_place(Path writer, Zxid token, Context context);
  [[nodiscard]] Result<void> can_change(const HeldLock& held, Share from) const;
  [[nodiscard]] Result<void> can_take_over(const HeldLock& held, Result<HeldLock>& next);
  void replace(HeldLock& held, HeldLock next);
  static Task<void> hand_over(Session& session, HeldLock old, Path next, internal::CleanupEnd end);

  Session& session_;
  Path lock_;
  LockOptions options_;
  LockObserver* observer_;
  internal::TaskCount tasks_{"a ReadWriteLock must outlive the tasks of its acquires"};
};

}  // namespace lockstep
