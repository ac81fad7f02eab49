#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_38 {

// Zombie leader by the order of shutdown (paasta#2450): the client is stopped before what the lock
// protects. Its session and its znode are gone, others may lead, and it still works. Correct: first
// the work, then release(), then close().
Task<void> contend(Contender& self, Path lock, std::uint32_t rounds);

}  // namespace lockstep::scenarios::zoo_38
