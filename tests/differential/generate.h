#pragma once

#include <cstdint>

#include "differential/program.h"

namespace lockstep::differential {

// A program of at most 40 requests, determined by the seed.
[[nodiscard]] Program generate(std::uint64_t seed);

}  // namespace lockstep::differential
