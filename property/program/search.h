#pragma once

#include <optional>
#include <string>

#include "backend.h"
#include "lockstep/lab/hunt.h"
#include "scenarios/registry.h"

namespace lockstep::program {

// One hunt, as its command line describes it.
struct Search {
  const scenarios::Scenario* scenario = nullptr;
  lab::HuntSettings settings;
  Backend backend = nullptr;  // Null: the fake.
  // A program that was not compiled for a hunt: what is hunted in place of the scenario's lock, and
  // the end of its command lines, " -- ./program arguments".
  std::optional<lab::LockUnderTest> target = {};
  std::string target_command = {};

  [[nodiscard]] lab::LockUnderTest lock() const {
    return target ? *target : Hunted{scenario, backend}.lock();
  }
};

// Searches as lab::hunt_lock does, shows its progress on request, and ends at an interruption.
// `checkpoint` may be null.
[[nodiscard]] lab::HuntReport search(const Search& what, bool show_progress,
                                     search::Checkpoint* checkpoint = nullptr);

[[nodiscard]] double executions_per_second(const lab::HuntReport& report);

}  // namespace lockstep::program
