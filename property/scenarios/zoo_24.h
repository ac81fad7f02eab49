#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_24 {

// Wrong predecessor (ZOOKEEPER-3162, the lock recipe that comes with ZooKeeper's C client): the
// search for the znode to watch is off by one and ends at the own one, which nobody else will
// delete. Correct: lockstep::position_of.
Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context);

}  // namespace lockstep::scenarios::zoo_24
