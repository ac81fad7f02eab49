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
  std::uint64_t steps = 0;  // Sum over all these executions.
};

// Makes a violating schedule smaller, within a budget: drops deviations (in chunks, one by one, and
// two that belong together, such as a switch away and the switch back; with the rest in place or
// moved up), then moves the rest towards the default choice. Of a long schedule it first cuts the
// end, and where the budget is small for it, drops detours instead of deviations, so that the rest
// keeps its meaning. A candidate is
// accepted only if it breaks the same guarantee and is smaller: fewer deviations, then fewer
// faults, fewer steps, lower choices, earlier positions. (After Hypothesis, which shrinks the
// choices that made a test case rather than the case itself.)
Shrunk shrink(Program& program, const ExecutionLimits& limits, const std::string& oracle,
              const std::vector<fakezk::Deviation>& deviations, ShrinkBudget budget = {});
// The same, where `run` tries a schedule, and `run_detours`, if there is one, a schedule with
// detours, which it notes.
using TrySchedule = std::function<Trial(const std::vector<fakezk::Deviation>&)>;
using TryDetours =
    std::function<Trial(const std::vector<fakezk::Deviation>&, const std::vector<Detour>&)>;
Shrunk shrink(const TrySchedule& run, const std::string& oracle,
              const std::vector<fakezk::Deviation>& deviations, ShrinkBudget budget = {},
              const TryDetours& run_detours = {});

}  // namespace lockstep::search
