#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_41 {

// Sequence number as a token (the lesson of zk-ruby#34): the number in the znode's name is taken
// for a fencing token, and begins anew when the lock's parent has been reaped and created again.
// Correct: the znode's czxid.
Task<void> contend(Contender& self, Path lock, std::uint32_t rounds);

}  // namespace lockstep::scenarios::zoo_41
