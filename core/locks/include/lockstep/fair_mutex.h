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

// A mutual exclusion lock that is granted in the order of arrival; each release wakes one waiter.
// (ZooKeeper Recipes and Solutions, "Locks"; Curator's InterProcessMutex uses the same znodes.)
//
// acquire() resolves with the grant, or with
//   kTimedOut, kCancelled          the context ended; the place in the queue is given up
//   kSessionExpired, kAuthFailed, kClosing   the session is over, and the place with it
//   kNoNode                        another client has deleted the place in the queue
//   kNodeExists                    the sequence numbers of the lock path are used up (2^31 - 1):
//                                  an operator has to remove it once it is empty
//   kContactLost                   the deadline came while it waited for a proof of contact
//                                  (LossPolicy)
//   kBadArguments                  the lock path or the options are malformed
//   kNoAuth, kInvalidAcl           an ACL forbids the create, or LockOptions::acl is malformed
//   kPacketTooLarge, kQuotaExceeded   LockOptions::data does not fit into a packet, or the servers'
//                                  quota is used up
//   kWatchLimit                    the session has no room for a watch; OnClient takes another one
//   kNoChildrenForEphemerals       an ancestor of the lock is an ephemeral znode
//   kUnimplemented                 the servers have no containers, and the lock path is missing
// and try_acquire(), which does not wait, also with
//   kConflict                      a contender was in front
// Both survive connection losses until the context ends. On every error, and when the task is
// destroyed, the znodes that acquire() has created are deleted in the background.
//
// Exclusion holds in the server's order of events without any assumption. On the clients' clocks it
// holds for holders that stop when lost_token() is stopped, also in a partition of any length,
// under the assumptions of LossPolicy::kOwnClock, the default (LockOptions::loss); only a fencing
// token protects against a process that is paused: see HeldLock. acquire() waits for every child of
// the lock in front that carries one of the marks of its options; other children are ignored, but
// better kept elsewhere, since Curator counts all.
//
// Without contention, acquire() takes one round trip. After a release, the next contender takes
// one, or none if it was the only one that waited when it last listed the queue: see
// wait_in_queue.
//
// Resumes on the session's executor, where everything here belongs. Session, mutex and observer
// outlive the tasks; the session and the observer outlive the grants. Several acquires of one
// FairMutex may run at the same time, each with its own place: it is not reentrant.
class FairMutex {
 public:
  // `lock` is the parent of the contenders' znodes; it is created as a container when missing.
  FairMutex(Session& session, Path lock, LockObserver* observer = nullptr)
      : FairMutex(session, std::move(lock), LockOptions(), observer) {}
  FairMutex(Session& session, Path lock, LockOptions options, LockObserver* observer = nullptr)
      : queue_(session, std::move(lock), options.marks, observer), options_(std::move(options)) {
    queue_.takes_over = options_.valid_without_marks().has_value();
  }

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
  // The holder and the waiters: see contenders_of().
  Task<Result<std::vector<QueueEntry>>> contenders(Context context = {}) {
    return contenders_of(queue_.session, queue_.lock, queue_.marks, std::move(context));
  }

 private:
  using One = internal::TaskCount::One;

  [[nodiscard]] Executor& executor() const { return queue_.session.executor(); }
  Task<Result<HeldLock>> acquire(One counted, Patience patience, Context context);

  LockQueue queue_;
  LockOptions options_;
  internal::TaskCount tasks_{"a FairMutex must outlive the tasks of its acquires"};
};

}  // namespace lockstep
