#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_12 {

// Error after the create leaks the znode (go-zookeeper#229): the path is stored for a later release
// only once the lock is held, so any error on the way there, such as this list that is not repeated
// after a connection loss, leaves the znode in the queue. Correct: the same with lockstep::Place.
Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context);

}  // namespace lockstep::scenarios::zoo_12
