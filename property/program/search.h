#pragma once

#include <cstdint>
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
  // Whether several jobs can share it. Contenders that share memory cannot be in two worlds, and
  // the production backend and a program take a process for each execution.
  [[nodiscard]] bool takes_jobs() const { return !backend && !target && lock().isolated; }
};

// The most jobs of a search whose user names no number.
inline constexpr std::uint32_t kMostUsualJobs = 8;
// One per processor, at most that many.
[[nodiscard]] std::uint32_t jobs_for_all_processors();

// Searches as lab::hunt_lock does, shows its progress on request, and ends at an interruption.
// `checkpoint` may be null.
[[nodiscard]] lab::HuntReport search(const Search& what, bool show_progress,
                                     search::Checkpoint* checkpoint = nullptr);

[[nodiscard]] double executions_per_second(const lab::HuntReport& report);

}  // namespace lockstep::program
