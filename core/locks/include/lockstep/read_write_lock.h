#pragma once

#include <vector>

#include "lockstep/contenders.h"
#include "lockstep/held_lock.h"
#include "lockstep/lock_observer.h"
#include "lockstep/lock_options.h"
#include "lockstep/ok.h"
#include "lockstep/session.h"
#include "lockstep/turn.h"
#include "lockstep/within.h"

namespace lockstep {

// A lock that either one writer holds, or any number of readers; fair: who comes later waits behind
// who comes earlier, so neither starves the other. (ZooKeeper Recipes and Solutions, "Shared
// Locks"; Curator's InterProcessReadWriteLock uses the same znodes.)
//
// The acquires resolve with the grant, or with the errors of FairMutex; the try_ acquires wait for
// nobody and give kConflict. Two grants can be changed in place:
//
//   downgrade()  a write grant becomes a read grant, without a moment in which another writer could
//                come in between: the reader inherits the writer's place in the queue (as Curator's
//                does since 5.5) and its fencing token.
//   upgrade()    a read grant becomes a write grant once the readers beside it have gone.
//                kConflict if another writer waits already: it would wait for us, and we for it.
//                So of two readers that upgrade, one is told to give up its read grant.
//
// Both leave the grant as it was if they fail, and clean up in the background. kBadArguments if the
// grant is of another lock, of the other kind, or released; its cause() if it is lost; kNoNode if
// its znode was deleted. The grant outlives the task and is not used meanwhile.
//
// Exclusion, fencing, cancellation, executor and lifetimes: as FairMutex. Write tokens exceed all
// tokens before them; read tokens are not ordered among themselves.
class ReadWriteLock {
 public:
  // `lock` is the parent of the contenders' znodes; it is created as a container when missing.
  ReadWriteLock(Session& session, Path lock, LockObserver* observer = nullptr)
      : ReadWriteLock(session, std::move(lock), LockOptions(), observer) {}
  // The options are for readers and writers, and for what they change into.
  ReadWriteLock(Session& session, Path lock, LockOptions options, LockObserver* observer = nullptr)
      : session_(session),
        lock_(std::move(lock)),
        options_(std::move(options)),
        observer_(observer) {}

  Task<Result<HeldLock>> acquire_read(Context context = {}) {
    return acquire(Share::kShared, Patience::kWaits, std::move(context));
  }
  Task<Result<HeldLock>> acquire_write(Context context = {}) {
    return acquire(Share::kExclusive, Patience::kWaits, std::move(context));
  }
  Task<Result<HeldLock>> try_acquire_read(Context context = {}) {
    return acquire(Share::kShared, Patience::kDoesNotWait, std::move(context));
  }
  Task<Result<HeldLock>> try_acquire_write(Context context = {}) {
    return acquire(Share::kExclusive, Patience::kDoesNotWait, std::move(context));
  }
  // Within that time, from now on.
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
  Task<Result<void>> downgrade(HeldLock& held, Context context = {});
  Task<Result<void>> upgrade(HeldLock& held, Context context = {});

  // Who holds and who waits: see contenders_of().
  Task<Result<std::vector<QueueEntry>>> contenders(Context context = {}) {
    return contenders_of(session_, lock_, kReadWriteMarks, std::move(context));
  }

 private:
  [[nodiscard]] Executor& executor() const { return session_.executor(); }
  Task<Result<HeldLock>> acquire(Share share, Patience patience, Context context);
  Task<Result<HeldLock>> queue_up(Share share, Path own, Patience patience, Context context);
  Task<Result<HeldLock>> inherit_place(Path writer, Zxid token, Context context);
  [[nodiscard]] Result<void> can_change(const HeldLock& held, Share from) const;
  [[nodiscard]] Result<void> can_take_over(const HeldLock& held, Result<HeldLock>& next);

  Session& session_;
  Path lock_;
  LockOptions options_;
  LockObserver* observer_;
};

}  // namespace lockstep
