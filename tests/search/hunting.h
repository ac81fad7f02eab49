#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "lockstep/search/hunt.h"
#include "scenarios/registry.h"

namespace lockstep::unit {

// A random-walk hunt of a registered scenario with faults.
inline search::HuntOptions hunt_options(std::string_view scenario, std::uint64_t executions) {
  const scenarios::Scenario* const found = scenarios::find(scenario);
  search::HuntOptions options;
  options.limits.faults = fakezk::FaultPlan::all(2);
  options.seed = 7;
  options.executions = executions;
  options.make_program = [found] { return found->make(found->size); };
  options.make_strategy = &search::make_random_walk;
  return options;
}

inline search::HuntResult hunt(const search::HuntOptions& options) {
  search::OneByOne one_by_one;
  return search::hunt(options, one_by_one);
}

inline constexpr std::string_view kZoo01 = "zoo-01-wait-after-missing-predecessor";
inline constexpr std::string_view kZoo07 = "zoo-07-create-without-guid";

}  // namespace lockstep::unit
