#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_37 {

// A retry layer eats the expiry (accumulo#1086): each request is repeated until it succeeds, in a
// new session if need be; so the holder of a lock never hears that the lock has gone with the old
// one. Correct: a request of a holder ends with its session.
Task<void> contend(Contender& self, Path lock, std::uint32_t rounds);

}  // namespace lockstep::scenarios::zoo_37
