#pragma once

#include <optional>

#include "lockstep/contenders.h"
#include "lockstep/held_lock.h"
#include "lockstep/lock_observer.h"
#include "lockstep/lock_options.h"
#include "lockstep/ok.h"
#include "lockstep/session.h"
#include "lockstep/within.h"

namespace lockstep {

// A mutual exclusion lock that is one ephemeral znode: whoever creates it holds. Trying costs one
// request and leaves nothing behind, which is what it is for. Waiting has no order, and each
// release wakes every waiter, all of which try again at once: use FairMutex where more than a few
// wait.
//
// acquire() resolves with the grant, or with
//   kTimedOut, kCancelled          the context ended
//   kSessionExpired, kAuthFailed, kClosing   the session is over
//   kBadArguments                  the path is malformed, or the options are not for this recipe
//   kNoAuth                        its parent does not let us create it
// and try_acquire(), which waits for nobody, also with
//   kConflict                      somebody holds it
// Connection losses are ridden out until the context ends. On every error, and when the task is
// destroyed, what acquire() has created is deleted in the background.
//
// Exclusion and fencing: as FairMutex. Since everybody uses the same name, "no stale action" (a
// release never deletes another's znode) holds only as long as nobody deletes a holder's znode by
// hand: an attempt that may have been lost is looked into before it is repeated, but ZooKeeper has
// no delete that names one life of a znode.
//
// Resumes on the session's executor. Session, mutex and observer outlive the tasks; the session and
// the observer outlive the grants. Not reentrant: a second acquire of one session waits like any.
class UnfairMutex {
 public:
  // `znode` is the lock; its parent is created as a container when missing.
  UnfairMutex(Session& session, Path znode, LockObserver* observer = nullptr)
      : UnfairMutex(session, std::move(znode), LockOptions(), observer) {}
  // With data alone: LockOptions::data, which holder() shows.
  UnfairMutex(Session& session, Path znode, Data data, LockObserver* observer = nullptr)
      : UnfairMutex(session, std::move(znode), LockOptions(std::move(data)), observer) {}
  UnfairMutex(Session& session, Path znode, LockOptions options, LockObserver* observer = nullptr)
      : session_(session),
        znode_(std::move(znode)),
        options_(std::move(options)),
        observer_(observer) {}

  Task<Result<HeldLock>> acquire(Context context = {}) { return acquire(true, std::move(context)); }
  Task<Result<HeldLock>> try_acquire(Context context = {}) {
    return acquire(false, std::move(context));
  }
  // Within that time, from now on.
  Task<Result<HeldLock>> acquire(Duration wait) { return acquire(within(executor(), wait)); }
  Task<Result<HeldLock>> try_acquire(Duration wait) {
    return try_acquire(within(executor(), wait));
  }
  // Who holds, with its data; nobody if the znode is not there. One read. Of a holder whose ACL
  // forbids us to read it only the path is known. Connection losses are ridden out. Errors: those
  // of Session::connected(), and kBadArguments. Resumes on the session's executor.
  Task<Result<std::optional<QueueEntry>>> holder(Context context = {});

 private:
  [[nodiscard]] Executor& executor() const { return session_.executor(); }
  [[nodiscard]] Result<void> valid() const;
  Task<Result<HeldLock>> acquire(bool waits, Context context);
  Task<Result<Stat>> create_until_held(Data own, bool waits, Context context);

  Session& session_;
  Path znode_;
  LockOptions options_;
  LockObserver* observer_;
};

}  // namespace lockstep
