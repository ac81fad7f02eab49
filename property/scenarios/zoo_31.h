#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_31 {

// Re-acquire after a loss hangs (kazoo#282): the lock object remembers that it has created its
// znode. After the session was lost, the next acquire waits for a znode to come first that is no
// more. Correct: what belongs to a session is forgotten with it; FairMutex keeps nothing.
Task<void> contend(Contender& self, Path lock, std::uint32_t rounds);

}  // namespace lockstep::scenarios::zoo_31
