#pragma once

#include "lockstep/lock_observer.h"
#include "lockstep/session.h"

namespace lockstep::scenarios::zoo_01 {

// Wait after a missing predecessor (apache/helix#44; ZooKeeper's own WriteLock.java): when the
// predecessor turns out to be gone, this waits for a watch all the same. The predecessor was
// deleted between the list and the read that should have registered the watch, so nobody wakes
// the waiter. Correct: lockstep::wait_for_turn.
Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context);

}  // namespace lockstep::scenarios::zoo_01
