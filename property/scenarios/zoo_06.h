#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_06 {

// Capacity change not signalled (CURATOR-75): the limit of a semaphore is raised, and whoever waits
// already does not hear of it. Here the limit is read before the wait. Correct:
// lockstep::Semaphore with the path of the shared count, which it watches.
Task<void> contend(Contender& self, Path path, std::uint32_t rounds);

}  // namespace lockstep::scenarios::zoo_06
