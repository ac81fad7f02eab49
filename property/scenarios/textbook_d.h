#pragma once

#include "parts.h"

namespace lockstep::scenarios::textbook_d {

// The recipe with a client id in the data of the znode: after a connection loss the own znode is
// found by reading every child's data. Two acquires of one client, which share the id, find the
// same znode, and both hold. Correct: a GUID per acquire, lockstep::protected_create.
Task<void> contend(Contender& self, Path lock, std::uint32_t rounds);

// The same recipe: whatever goes wrong, it calls itself and begins again, also when the session is
// over and everything goes wrong at once. Correct: to end with the session, and a loop.
Task<void> contend_recursively(Contender& self, Path lock, std::uint32_t rounds);

}  // namespace lockstep::scenarios::textbook_d
