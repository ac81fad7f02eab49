#pragma once

#include "lockstep/lock_observer.h"
#include "lockstep/ok.h"
#include "lockstep/session.h"

namespace lockstep {

// Waits until the contender `ours`, a child of `lock`, is the first of its queue: steps 2 to 5 of
// ZooKeeper's lock recipe. Resolves with the evidence: the pzxid of the list that showed it first.
// Connection losses are ridden out. Errors: kNoNode if `ours` is not in the queue (any more), those
// of Session::connected(). Resumes on the session's executor; session and observer outlive it.
Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context);

}  // namespace lockstep
