#pragma once

#include <vector>

#include "differential/program.h"

namespace lockstep::differential {

// Programs that are a little smaller or simpler, the largest reductions first.
[[nodiscard]] std::vector<Program> simpler(const Program& program);

}  // namespace lockstep::differential
