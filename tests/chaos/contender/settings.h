#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "chaos/wire.h"

namespace lockstep::chaos {

// The work of a contender, set by the driver.
struct Settings {
  std::string servers;
  std::string root;  // All locks are below this path.
  std::chrono::milliseconds session_timeout{};
  std::uint64_t seed = 0;
  int sessions = 1;
  int workers = 1;  // Per session.
  Flaw flaw = Flaw::kNone;
};

}  // namespace lockstep::chaos
