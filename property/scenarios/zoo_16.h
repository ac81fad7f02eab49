#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_16 {

// A release that forgets (CURATOR-486, CURATOR-678): the deletion meets a connection loss, the lock
// object drops its entry all the same, and the znode may live on with nobody who knows of it.
// Correct: HeldLock::release, which goes on until the znode is gone.
Task<void> contend(Contender& self, Path lock, std::uint32_t rounds);

}  // namespace lockstep::scenarios::zoo_16
