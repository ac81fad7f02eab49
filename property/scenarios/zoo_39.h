#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_39 {

// A timeout that is none (CURATOR-559): the deadline goes to each attempt anew, and attempts are
// repeated, so that an acquire of one second lasts three. Correct: lockstep::wait_for_turn, which
// hands one deadline down.
Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context);

}  // namespace lockstep::scenarios::zoo_39
