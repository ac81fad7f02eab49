#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_47 {

// A loss that was none (made up): the reply to a release is lost with the connection, the release
// is repeated, and what it finds gone it takes for lost. So the holder undoes, or does again, what
// it has done under a lock that it had. Correct: lockstep::HeldLock, which knows of its own
// attempt.
Task<void> contend(Contender& self, Path lock, std::uint32_t rounds);

}  // namespace lockstep::scenarios::zoo_47
