#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_44 {

// Takes over unseen (made up): when the znode that it watches is deleted, this holds without
// listing the queue again. That saves a round trip, and would do if that znode had been the only
// one in front; but it was the nearest of several, went away without a grant, and the first of them
// still holds. Correct: lockstep::wait_for_turn, which lists again after every event.
Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context);

}  // namespace lockstep::scenarios::zoo_44
