#pragma once

#include <cstdint>

#include "differential/program.h"

namespace lockstep::differential {

// A program of at most 40 requests; a function of the seed.
[[nodiscard]] Program generate(std::uint64_t seed);

}  // namespace lockstep::differential
