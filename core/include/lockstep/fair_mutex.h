#pragma once

#include "lockstep/held_lock.h"
#include "lockstep/lock_observer.h"
#include "lockstep/ok.h"
#include "lockstep/session.h"

namespace lockstep {

// A mutual exclusion lock that is granted in the order of arrival; each release wakes one waiter.
// (ZooKeeper Recipes and Solutions, "Locks"; Curator's InterProcessMutex uses the same znodes.)
//
// acquire() resolves with the grant, or with
//   kTimedOut, kCancelled          the context ended; our place in the queue is given up
//   kSessionExpired, kAuthFailed, kClosing   the session is over, and our place with it
//   kNoNode                        somebody deleted our place in the queue
//   kBadArguments                  the lock path is malformed
// Connection losses are ridden out until the context ends. On every error, and when the task is
// destroyed, what acquire() has created is deleted in the background.
//
// Exclusion holds in the server's order of events without any assumption; on the clients' clocks
// it holds as long as a holder stops at lost_token(), and only a fencing token covers a paused
// process: see HeldLock.
//
// Resumes on the session's executor, where everything here belongs. Session, mutex and observer
// outlive the tasks; the session and the observer outlive the grants. Several acquires of one
// FairMutex may be under way, each with a place of its own: it is not reentrant.
class FairMutex {
 public:
  // `lock` is the parent of the contenders' znodes; it is created as a container when missing.
  FairMutex(Session& session, Path lock, LockObserver* observer = nullptr)
      : session_(session), lock_(std::move(lock)), observer_(observer) {}

  Task<Result<HeldLock>> acquire(Context context = {});

 private:
  Task<Result<HeldLock>> queue_up(Context context);

  Session& session_;
  Path lock_;
  LockObserver* observer_;
};

}  // namespace lockstep
