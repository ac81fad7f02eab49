#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_10 {

// Adopting a dying session's znode (CURATOR-498, CURATOR-604): an acquire is repeated with the same
// GUID until it succeeds. When its session is lost, the next one finds the GUID in the queue and
// takes the znode for its own, until the server deletes it as the old session's. Correct:
// lockstep::protected_create, which adopts only what belongs to the very session.
Task<void> contend(Contender& self, Path lock, std::uint32_t rounds);

}  // namespace lockstep::scenarios::zoo_10
