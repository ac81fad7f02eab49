#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "lockstep/fakezk/explore/hunt.h"
#include "scenarios/registry.h"

namespace lockstep::unit {

// A hunt through one of the registered scenarios, with faults, by random walk.
inline fakezk::HuntOptions hunt_options(std::string_view scenario, std::uint64_t executions) {
  const scenarios::Scenario* const found = scenarios::find(scenario);
  fakezk::HuntOptions options;
  options.limits.faults = fakezk::FaultPlan::all(2);
  options.seed = 7;
  options.executions = executions;
  options.make_program = [found] { return found->make(found->size); };
  options.make_strategy = &fakezk::make_random_walk;
  return options;
}

inline fakezk::HuntResult hunt(const fakezk::HuntOptions& options) {
  fakezk::OneByOne one_by_one;
  return fakezk::hunt(options, one_by_one);
}

inline constexpr std::string_view kZoo01 = "zoo-01-wait-after-missing-predecessor";
inline constexpr std::string_view kZoo07 = "zoo-07-create-without-guid";

}  // namespace lockstep::unit
