#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_23 {

// Sort by the whole name (ZOOKEEPER-2931): in front of the sequence number stands an id, so that a
// contender who comes later may sort first, and hold beside the first. Correct:
// lockstep::position_of, which compares numbers.
Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context);

}  // namespace lockstep::scenarios::zoo_23
