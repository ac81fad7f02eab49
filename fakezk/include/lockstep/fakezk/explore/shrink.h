#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/fakezk/explore/program.h"
#include "lockstep/fakezk/explore/schedule.h"

namespace lockstep::fakezk {

// The smallest schedule that was found to break the same guarantee.
struct Shrunk {
  std::vector<Deviation> deviations;
  Outcome outcome;
  std::uint32_t executions = 0;
};

// Makes a violating schedule smaller, within a budget of executions: drops deviations (in chunks,
// then one by one, with the rest in place or moved up), then moves what is left towards the calm
// choice. A candidate is accepted only if it breaks the same guarantee and is smaller: fewer
// deviations, then fewer faults, fewer steps, lower choices, earlier positions. (After
// Hypothesis, which shrinks the choices behind a test case rather than the case.)
Shrunk shrink(Program& program, const ExecutionLimits& limits, const std::string& oracle,
              const std::vector<Deviation>& deviations, std::uint32_t budget = 20'000);

}  // namespace lockstep::fakezk
