#pragma once

#include <cstdint>

#include "lockstep/fakezk/message.h"
#include "lockstep/fakezk/world.h"

namespace lockstep::search {

// Hashes what can be seen of a world between two steps: the znodes, the watches, the sessions and
// when silent ones expire, the identities that connections have shown, the messages in flight to
// clients, servers and replicas or left by broken connections, the clock. Leaves out zxids and time
// stamps, which tell in which order unrelated writes came, and the memory of judges.
[[nodiscard]] std::uint64_t state_hash(fakezk::World& world);

// The same for a message that a client receives.
[[nodiscard]] std::uint64_t content_hash(const fakezk::ServerMessage& message);

}  // namespace lockstep::search
