#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_13 {

// NodeExists against the own corpse (KAFKA-1387, KAFKA-7165): a znode of a fixed name with our data
// in it is taken for ours. It is our former session's, and the server is about to delete it.
// Correct: ours only if its ephemeralOwner is the current session; otherwise wait until it has
// gone.
Task<void> contend(Contender& self, Path lock, std::uint32_t rounds);

}  // namespace lockstep::scenarios::zoo_13
