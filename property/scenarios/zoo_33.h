#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_33 {

// Reset crosses evaluation (CURATOR-620, CURATOR-653): after a connection loss the contender starts
// over, and deletes its znode in the background; the list that is already on its way shows that
// znode in front. It holds, and its own deletion lands. Correct: the evaluation waits for the
// reset.
Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context);

}  // namespace lockstep::scenarios::zoo_33
