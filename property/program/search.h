#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backend.h"
#include "lockstep/lab/hunt.h"
#include "scenarios/registry.h"

namespace lockstep::program {

// One hunt, as its command line describes it.
struct HuntCommand {
  const scenarios::Scenario* scenario = nullptr;
  lab::HuntSettings settings;
  Backend backend = nullptr;  // Null: the fake.
  // For a program that was not compiled for a hunt: the lock that replaces the scenario's, and the
  // end of its command lines, " -- ./program arguments".
  std::optional<lab::LockUnderTest> target = {};
  std::string target_command = {};
  bool target_has_lock = false;  // Its command lines name the lock whose queue is judged.

  [[nodiscard]] lab::LockUnderTest lock() const {
    return target ? *target : Hunted{scenario, backend}.lock();
  }
  // Whether several jobs can share it. Contenders that share memory cannot be in two worlds; on the
  // production backend and with a program, each execution takes a process.
  [[nodiscard]] bool takes_jobs() const { return !backend && !target && lock().shares_nothing(); }
};

// The most jobs by default.
inline constexpr std::uint32_t kMostUsualJobs = 8;
// One job per processor, at most that many.
[[nodiscard]] std::uint32_t jobs_for_all_processors();

// Searches like lab::hunt_lock, shows its progress on request, and stops when interrupted.
// `checkpoint` may be null.
[[nodiscard]] lab::HuntReport search(const HuntCommand& what, bool show_progress,
                                     search::Checkpoint* checkpoint = nullptr);

// "no violation", or that and what was not judged, in a search without a violation.
[[nodiscard]] std::string verdict_of(const HuntCommand& what, const search::Judgements& judged);

[[nodiscard]] double executions_per_second(const lab::HuntReport& report);

}  // namespace lockstep::program
