#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_36 {

// Wrong token (CURATOR-537): the leader's path is read when it is needed; by then the latch may
// have lost its session and joined the queue anew, and exports a znode that has never led. With the
// token of the future it shuts out the true leader. Correct: the token of the grant,
// HeldLock::fencing_token.
Task<void> contend(Contender& self, Path lock, std::uint32_t rounds);

}  // namespace lockstep::scenarios::zoo_36
