#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_04 {

// Wake missed across a reconnect (kazoo#170): when the connection is lost while the predecessor is
// read, the watch is set again after the reconnect, but nobody looks whether the predecessor has
// gone in the meantime. Correct: lockstep::wait_for_turn, where the repeated read is judged like
// the first.
Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context);

}  // namespace lockstep::scenarios::zoo_04
