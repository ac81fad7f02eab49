#pragma once

#include <cstdint>
#include <limits>

#include "lockstep/search/exhaustive.h"
#include "lockstep/search/hunt.h"
#include "lockstep/search/report.h"
#include "scenarios/registry.h"
#include "strategies.h"

namespace lockstep::program {

// More executions than there is time for; a search by time alone has this many, and an exhaustive
// one that nothing bounds.
inline constexpr std::uint64_t kUnlimitedExecutions = std::uint64_t{1} << 62;

// One hunt, as its command line describes it.
struct Search {
  const scenarios::Scenario* scenario = nullptr;
  lab::ScenarioSize size;
  const search::StrategyName* strategy = &default_strategy();
  const search::ReductionName* reduction = &default_reduction();  // Of an exhaustive search.
  fakezk::FaultPlan faults;
  std::uint64_t seed = 0;
  std::uint64_t first = 0;
  std::uint64_t executions = 20'000;
  double seconds = std::numeric_limits<double>::infinity();
  std::uint32_t jobs = 1;
  bool coverage = false;
};

struct Searched {
  search::HuntResult result;
  double seconds = 0;
  bool interrupted = false;

  [[nodiscard]] double executions_per_second() const {
    return static_cast<double>(result.executions) / seconds;
  }
};

// The limits of one execution.
[[nodiscard]] search::ExecutionLimits limits_of(const fakezk::FaultPlan& faults);

// What a search has found, shrunk.
[[nodiscard]] search::Failure explain(const Search& what, const search::Found& found);

// Searches until the first violation, the number of executions, the end of the time or an
// interruption.
[[nodiscard]] Searched search(const Search& what, bool show_progress);

}  // namespace lockstep::program
