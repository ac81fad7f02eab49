#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_02 {

// Creation-watch leak (kazoo#490, CURATOR-107): the predecessor is watched with exists, which
// leaves a watch also when the znode is gone: for the creation of a name that never comes back.
// Each such race costs the server and the client a watch for ever. Correct: lockstep::wait_for_turn
// reads with get_data, which leaves none.
Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context);

}  // namespace lockstep::scenarios::zoo_02
