#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_18 {

// Close against a create in flight (CURATOR-18, CURATOR-3): close() deletes the znode that it
// knows; the create's callback comes afterwards and installs one that nobody knows: a ghost leader.
// Correct: the callback looks whether it has been closed.
Task<void> contend(Contender& self, Path lock, std::uint32_t rounds);

}  // namespace lockstep::scenarios::zoo_18
