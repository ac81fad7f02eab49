#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_05 {

// Monitor held during a retry (CURATOR-495): the waiter reads the queue, and repeats that after a
// connection loss, while it holds its monitor; the thread that would tell it of the reconnect needs
// the same monitor first. Nobody moves any more. Correct: lockstep::wait_for_turn holds nothing
// while it waits; here, the monitor is held for one request at a time.
Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context);

}  // namespace lockstep::scenarios::zoo_05
