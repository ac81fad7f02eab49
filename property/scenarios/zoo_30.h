#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_30 {

// An acquire returns an expired claim (etcd#11456): it waits until nobody is in front, through
// whatever session there is, and does not look whether its own znode is still there. Correct:
// lockstep::position_of, which says kNoNode, and one session for the whole acquire.
Task<void> contend(Contender& self, Path lock, std::uint32_t rounds);

}  // namespace lockstep::scenarios::zoo_30
