#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_43 {

// Locks in any order (Curator's InterProcessMultiLock, which takes them as they are given): two
// clients that name the same two locks in opposite orders hold one each, and wait for the other.
// Correct: lockstep::MultiLock, which takes them in one order.
Task<void> contend(Contender& self, Path path, std::uint32_t rounds);

}  // namespace lockstep::scenarios::zoo_43
