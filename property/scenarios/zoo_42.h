#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_42 {

// Loss told twice (made up, to try the oracle): a request that fails tells the holder that its
// session is over, and so does the watch on its znode. Correct: lockstep::HeldLock, which tells a
// loss once, whoever notices it.
Task<void> contend(Contender& self, Path lock, std::uint32_t rounds);

}  // namespace lockstep::scenarios::zoo_42
