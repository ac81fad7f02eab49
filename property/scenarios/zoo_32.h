#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_32 {

// Double leader by a stale znode (CURATOR-696): in a new session, the latch first evaluates the
// queue, sees its old session's znode in front, and leads. Correct: first a znode of the new
// session, and only then the queue.
Task<void> contend(Contender& self, Path lock, std::uint32_t rounds);

}  // namespace lockstep::scenarios::zoo_32
