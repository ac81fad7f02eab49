#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "lockstep/lab/lock_under_test.h"
#include "lockstep/lab/scenario.h"
#include "lockstep/search/coverage.h"
#include "lockstep/search/exhaustive.h"
#include "lockstep/search/report.h"
#include "lockstep/search/strategy.h"

namespace lockstep::lab {

// What to search, unless the defaults will do.
struct HuntSettings {
  static constexpr std::uint32_t kMostClients = 64;
  static constexpr std::uint32_t kMostRounds = 100;
  static constexpr std::uint32_t kMostRoundsInAll = 640;  // An execution ends after 20 000 steps.

  ScenarioSize size = {};
  fakezk::FaultPlan faults = fakezk::FaultPlan::all(2);
  // At most so many. If none is given: kUsualExecutions, but an exhaustive search, which ends by
  // itself, has no bound then.
  std::optional<std::uint64_t> executions = {};
  static constexpr std::uint64_t kUsualExecutions = 20'000;
  std::uint64_t seed = 1;
  // The hunt also ends once it has taken that long. The only setting that makes how far it gets
  // depend on the machine; what it finds, it finds there on every one.
  double seconds = std::numeric_limits<double>::infinity();
  bool measure_coverage = false;  // Takes ten times as long.
  // How: one of search::strategies(), or "exhaustive", which tries every schedule, unless a number
  // of executions or a time bounds it.
  std::string strategy{search::strategies().front().name};
  // Of an exhaustive search: one of search::reductions(), if not the best.
  std::string reduction = {};
  // So many threads at most, each with a world of its own; what is found does not depend on it.
  // Only contenders that share no memory (LockUnderTest::isolated) are hunted by more than one, and
  // not by an exhaustive search.
  std::uint32_t jobs = 1;
  static constexpr std::uint32_t kMostJobs = 256;

  // The settings, as far as the environment does not say otherwise: LOCKSTEP_SEED,
  // LOCKSTEP_EXECUTIONS, LOCKSTEP_SECONDS, LOCKSTEP_COVERAGE (1 or 0), LOCKSTEP_STRATEGY,
  // LOCKSTEP_REDUCTION, LOCKSTEP_JOBS, LOCKSTEP_FAULTS (as `lockstep hunt --faults`) and
  // LOCKSTEP_FAULT_BUDGET. Seconds without executions mean as many as fit. Throws
  // std::invalid_argument, with the reason, for what is no such number or no such fault.
  [[nodiscard]] HuntSettings with_environment() const;

  // The number of executions at which the hunt ends if nothing else ends it.
  [[nodiscard]] std::uint64_t most_executions() const;
};

// How a hunt ended; text() is what a person wants to read about it.
struct HuntReport {
  std::string name;
  std::uint64_t executions = 0;
  std::uint64_t seed = 0;
  std::optional<search::Failure> failure;
  std::optional<search::Coverage> coverage;  // If it was to be measured.
  std::optional<LockUnderTest> lock;         // What was hunted.
  // How far an exhaustive search has come; of any other, none.
  std::optional<search::ExhaustiveResult> exhaustive;
  bool out_of_time = false;  // HuntSettings::seconds have ended it.

  // An exhaustive search that contradicts itself has shown nothing, and does not pass.
  [[nodiscard]] bool passed() const {
    return !failure && (!exhaustive || exhaustive->independence_violated.empty());
  }
  [[nodiscard]] std::string text() const;
  // If it has failed: the source of a GoogleTest that replays the failure (LockUnderTest::source).
  // `mutex` is the class in C++; without one, and if nobody has said it, its name is guessed from
  // the lock's name: MyMutex for "my-mutex".
  [[nodiscard]] std::string regression_test(std::string_view mutex = {}) const;
  // If it has failed: the failure as an HTML page, complete in itself.
  [[nodiscard]] std::string html() const;
};

// START HERE (recipe authors): searches the schedules of a lock for one that breaks a guarantee
// (LockOracles lists them), and makes the first that it finds as short as possible.
//
//   const lab::HuntReport report = lab::hunt_lock("my-mutex", &lab::contend_for<MyMutex>);
//   EXPECT_TRUE(report.passed()) << report.text();
//
// The same settings give the same report everywhere. Runs on the calling thread, and on others with
// HuntSettings::jobs. An exception that
// escapes from the lock is a violation. If it ends the process, by abort(), a bad pointer, exit(),
// then its last words are the replay string of that execution: lockstep/lab/last_words.h.
// Throws std::invalid_argument, with the reason, for settings that nothing can be searched with and
// for a lock that cannot be made (LockUnderTest::program).
HuntReport hunt_lock(const LockUnderTest& lock, const HuntSettings& settings = {});
HuntReport hunt_lock(std::string name, Contend contend, const HuntSettings& settings = {});

}  // namespace lockstep::lab
