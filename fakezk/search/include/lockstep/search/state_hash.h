#pragma once

#include <cstdint>

#include "lockstep/fakezk/message.h"
#include "lockstep/fakezk/world.h"

namespace lockstep::search {

// A number for what can be seen of a world between two steps: the znodes, the watches, the
// sessions and when silent ones expire, who connections have shown to be, what is under way to
// clients, servers and replicas or left behind by broken connections, the clock. Without zxids and
// time stamps, which tell in which order unrelated writes came, and without what judges remember.
[[nodiscard]] std::uint64_t state_hash(fakezk::World& world);

// The same for what a client receives.
[[nodiscard]] std::uint64_t content_hash(const fakezk::ServerMessage& message);

}  // namespace lockstep::search
