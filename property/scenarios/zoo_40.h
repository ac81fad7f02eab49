#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_40 {

// Herd (the textbook case; CURATOR-716 inside one process): all waiters watch the list of children,
// so every release wakes everybody, and each of them reads the whole list. Correct:
// lockstep::wait_for_turn, which watches the one znode in front.
Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context);

}  // namespace lockstep::scenarios::zoo_40
