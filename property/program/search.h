#pragma once

#include "backend.h"
#include "lockstep/lab/hunt.h"
#include "scenarios/registry.h"

namespace lockstep::program {

// One hunt, as its command line describes it.
struct Search {
  const scenarios::Scenario* scenario = nullptr;
  lab::HuntSettings settings;
  Backend backend = nullptr;  // Null: the fake.

  [[nodiscard]] lab::LockUnderTest lock() const { return Hunted{scenario, backend}.lock(); }
};

// Searches as lab::hunt_lock does, shows its progress on request, and ends at an interruption.
// `checkpoint` may be null.
[[nodiscard]] lab::HuntReport search(const Search& what, bool show_progress,
                                     search::Checkpoint* checkpoint = nullptr);

[[nodiscard]] double executions_per_second(const lab::HuntReport& report);

}  // namespace lockstep::program
