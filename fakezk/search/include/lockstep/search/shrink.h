#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/search/program.h"
#include "lockstep/search/schedule.h"

namespace lockstep::search {

// What shrinking may cost. Steps bound what executions do not: in a large scene one of them has
// thousands. The first execution is always made.
struct ShrinkBudget {
  std::uint32_t executions = 20'000;
  std::uint64_t steps = 1'500'000;
};

// The smallest schedule that was found to break the same guarantee.
struct Shrunk {
  std::vector<fakezk::Deviation> deviations;
  Outcome outcome;
  std::uint32_t executions = 0;
  std::uint64_t steps = 0;  // Of all these executions.
};

// Makes a violating schedule smaller, within a budget: drops deviations (in chunks, one by one,
// and two that belong together, as a switch away and the switch back do; with the rest in place or
// moved up), then moves what is left towards the calm choice. A candidate is accepted only if it
// breaks the same guarantee and is smaller: fewer deviations, then fewer faults, fewer steps, lower
// choices, earlier positions. (After Hypothesis, which shrinks the choices behind a test case
// rather than the case.)
Shrunk shrink(Program& program, const ExecutionLimits& limits, const std::string& oracle,
              const std::vector<fakezk::Deviation>& deviations, ShrinkBudget budget = {});

}  // namespace lockstep::search
