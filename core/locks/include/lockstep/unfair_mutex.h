#pragma once

#include <optional>

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

// A mutual exclusion lock that is one ephemeral znode: the client that creates it holds. A try
// costs one request and leaves no znode, which is its purpose. Waiters have no order, and each
// release wakes all of them, and all try again at once: use FairMutex if more than a few wait.
//
// acquire() resolves with the grant, or with
//   kTimedOut, kCancelled          the context ended
//   kSessionExpired, kAuthFailed, kClosing   the session is over
//   kContactLost                   the deadline came while it waited for a proof of contact
//                                  (LossPolicy)
//   kBadArguments                  the path is malformed, or the options are not for this recipe
//   kNoAuth, kInvalidAcl           its parent's ACL forbids the create, or LockOptions::acl is
//                                  malformed
//   kNodeExists                    the znode is no lock: no session owns it (if we may read it)
//   kPacketTooLarge, kQuotaExceeded, kWatchLimit, kNoChildrenForEphemerals, kUnimplemented
//                                  as FairMutex
// and try_acquire(), which does not wait, also with
//   kConflict                      another client holds it; or the znode is no lock, because a try
//                                  does not read it
// Both survive connection losses until the context ends. On every error, and when the task is
// destroyed, the znode that acquire() has created is deleted in the background.
//
// Exclusion and fencing tokens: as FairMutex. HeldLock::check() is misuse. Since all clients use
// the same name, "no stale action" (a release never deletes another holder's znode) holds only if
// holders' znodes are never deleted by hand: an attempt that may have been lost is checked before
// it is repeated, but ZooKeeper has no delete that names one particular incarnation of a znode.
//
// Resumes on the session's executor. Session, mutex and observer outlive the tasks; the session and
// the observer outlive the grants. Not reentrant: a second acquire of one session waits like any.
class UnfairMutex {
 public:
  // `znode` is the lock; its parent is created as a container when missing.
  UnfairMutex(Session& session, Path znode, LockObserver* observer = nullptr)
      : UnfairMutex(session, std::move(znode), LockOptions(), observer) {}
  // With data only: LockOptions::data, which holder() returns.
  UnfairMutex(Session& session, Path znode, Data data, LockObserver* observer = nullptr)
      : UnfairMutex(session, std::move(znode), LockOptions(std::move(data)), observer) {}
  UnfairMutex(Session& session, Path znode, LockOptions options, LockObserver* observer = nullptr)
      : session_(session),
        znode_(std::move(znode)),
        options_(std::move(options)),
        observer_(observer) {}

  Task<Result<HeldLock>> acquire(Context context = {}) {
    return acquire(One(tasks_), Patience::kWaits, std::move(context));
  }
  Task<Result<HeldLock>> try_acquire(Context context = {}) {
    return acquire(One(tasks_), Patience::kDoesNotWait, std::move(context));
  }
  // With a deadline that is this far from now.
  Task<Result<HeldLock>> acquire(Duration wait) { return acquire(within(executor(), wait)); }
  Task<Result<HeldLock>> try_acquire(Duration wait) {
    return try_acquire(within(executor(), wait));
  }
  // The holder with its data; none if the znode does not exist, or is no lock. Costs one read. If
  // the holder's ACL forbids us to read it, only the path is known. It survives connection losses.
  // Errors: those of Session::connected(), and kBadArguments. Resumes on the session's executor.
  Task<Result<std::optional<QueueEntry>>> holder(Context context = {});

 private:
  using One = internal::TaskCount::One;

  [[nodiscard]] Executor& executor() const { return session_.executor(); }
  [[nodiscard]] Result<void> valid() const;
  Task<Result<HeldLock>> acquire(One counted, Patience patience, Context context);
  Task<Result<Stat>> create_until_held(Data own, Patience patience, Context context);

  Session& session_;
  Path znode_;
  LockOptions options_;
  LockObserver* observer_;
  internal::TaskCount tasks_{"an UnfairMutex must outlive the tasks of its acquires"};
};

}  // namespace lockstep
