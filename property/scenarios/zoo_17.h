#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_17 {

// ABA release (zk-ruby#34): A's session is lost; B acquires and releases and deletes the empty
// parent; then somebody creates both anew, and the counter starts again. A's release, which
// remembers a path, deletes the znode of that name: another's lock. Correct: a GUID in the name, so
// that it is never another's, and HeldLock::release, which touches nothing once its own session is
// over. (Sequence numbers are no fencing tokens either.)
Task<void> contend(Contender& self, Path lock, std::uint32_t rounds);

}  // namespace lockstep::scenarios::zoo_17
