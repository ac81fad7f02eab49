#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_03 {

// Stale wake flag (kazoo#26): the flag that the watch sets is never cleared. After the first wake
// the waiter waits no more, but reads the queue in a loop. Correct: one flag per watch, as in
// lockstep::wait_for_turn, whose flag is the Watch itself.
Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context);

}  // namespace lockstep::scenarios::zoo_03
