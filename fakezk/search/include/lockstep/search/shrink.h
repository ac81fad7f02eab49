#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lockstep/search/program.h"
#include "lockstep/search/schedule.h"
#include "lockstep/search/trials.h"

namespace lockstep::search {

// The limits of shrinking. Steps are bounded as well as executions, because one execution of a
// large scene has thousands of steps. The first execution is always run.
struct ShrinkBudget {
  std::uint32_t executions = 20'000;
  std::uint64_t steps = 1'500'000;
};

// The smallest schedule found that breaks the same guarantee.
struct Shrunk {
  std::vector<fakezk::Deviation> deviations;
  Outcome outcome;
  std::uint32_t executions = 0;
  std::uint64_t steps = 0;   // Sum over all these executions.
  NamedSchedule named = {};  // The same schedule, if it is known by names.
};

// Makes a violating schedule smaller, within a budget: drops deviations (in chunks, one by one, and
// two that belong together, such as a switch away and the switch back; with the rest in place or
// moved up; of a long schedule first its end, and chunks with the rest in place), then moves the
// rest towards the default choice. A candidate is accepted only if it breaks the same guarantee and
// is smaller: fewer deviations, then fewer faults, fewer steps, lower choices, earlier positions.
// (After Hypothesis, which shrinks the choices that made a test case rather than the case itself.)
Shrunk shrink(Program& program, const ExecutionLimits& limits, const std::string& oracle,
              const std::vector<fakezk::Deviation>& deviations, ShrinkBudget budget = {});
// The same, where `run` tries a schedule. `run_named` may be empty if trials name nothing.
using TrySchedule = std::function<Trial(const std::vector<fakezk::Deviation>&)>;
using TryNamed = std::function<Trial(const NamedSchedule&)>;
Shrunk shrink(const TrySchedule& run, const TryNamed& run_named, const std::string& oracle,
              const std::vector<fakezk::Deviation>& deviations, ShrinkBudget budget = {});

}  // namespace lockstep::search
