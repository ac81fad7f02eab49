#pragma once

#include <cstdint>
#include <functional>
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
  static constexpr std::uint32_t kUsualFaults = 2;
  static constexpr std::uint32_t kMostFaults = 16;  // A strategy places so many in one execution.
  static constexpr std::uint64_t kUsualExecutions = 20'000;
  static constexpr std::uint64_t kMostExecutions = 1'000'000'000'000;  // That anybody may ask for.
  static constexpr std::uint64_t kUnbounded = std::uint64_t{1} << 62;  // As many as time allows.
  static constexpr std::uint32_t kMostJobs = 256;
  static constexpr std::string_view kExhaustive = "exhaustive";

  ScenarioSize size = {};
  fakezk::FaultPlan faults = fakezk::FaultPlan::all(kUsualFaults);
  // At most so many. If none is given: kUsualExecutions, but an exhaustive search, which ends by
  // itself, has no bound then.
  std::optional<std::uint64_t> executions = {};
  std::uint64_t seed = 1;
  // The index of the first execution: a hunt may be a part of a larger one. An exhaustive search
  // has no parts.
  std::uint64_t first = 0;
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

  // The settings, as far as the environment does not say otherwise: LOCKSTEP_SEED,
  // LOCKSTEP_EXECUTIONS, LOCKSTEP_SECONDS, LOCKSTEP_COVERAGE (1 or 0), LOCKSTEP_STRATEGY,
  // LOCKSTEP_REDUCTION, LOCKSTEP_JOBS, LOCKSTEP_FAULTS (as `lockstep hunt --faults`) and
  // LOCKSTEP_FAULT_BUDGET. Seconds without executions mean as many as fit. Throws
  // std::invalid_argument, with the reason, for what is no such number or no such fault.
  [[nodiscard]] HuntSettings with_environment() const;

  // The number of executions at which the hunt ends if nothing else ends it.
  [[nodiscard]] std::uint64_t most_executions() const;
  [[nodiscard]] bool is_exhaustive() const { return strategy == kExhaustive; }
};

// Whether a scenario may be made so large.
[[nodiscard]] constexpr bool possible(ScenarioSize size) {
  return size.clients >= 1 && size.clients <= HuntSettings::kMostClients && size.rounds >= 1 &&
         size.rounds <= HuntSettings::kMostRounds &&
         size.clients * size.rounds <= HuntSettings::kMostRoundsInAll;
}

// What the words of a command line, of the environment or of HuntSettings stand for. Each throws
// std::invalid_argument, with the reason, for a word that is none.
[[nodiscard]] const search::StrategyName& strategy_called(std::string_view name);
[[nodiscard]] const search::ReductionName& reduction_called(std::string_view name);
// HuntSettings::reduction, or the best.
[[nodiscard]] const search::ReductionName& reduction_of(const HuntSettings& settings);
// "all", "none", or kinds with optional caps: "cut,expiry:1". Equal searches get equal plans, so
// that they draw alike.
[[nodiscard]] fakezk::FaultPlan faults_called(std::string_view kinds, std::uint32_t total);
// The words that there are: "portfolio, random", without "exhaustive".
[[nodiscard]] std::string strategy_names();
[[nodiscard]] std::string reduction_names();

// What the caller of a hunt wants to hear, and to say, while it lasts.
struct HuntWatch {
  // Called now and then with the number of executions so far.
  std::function<void(std::uint64_t)> progress = {};
  // Asked now and then, by every thread of the hunt; true ends it.
  std::function<bool()> interrupted = {};
  // What last words put before the replay string (lockstep/lab/last_words.h).
  std::string replay_by = "LOCKSTEP_REPLAY=";
};

// What has ended a hunt. The last three end exhaustive searches only: everything was tried; nothing
// is left but what comes after executions that were cut short; the search contradicts itself.
enum class StoppedBy : std::uint8_t {
  kCount,
  kViolation,
  kTime,
  kInterruption,
  kExhaustion,
  kDepth,
  kDependence
};
// "count", "violation", "time", "interrupt", "exhaustion", "depth", "dependence".
[[nodiscard]] std::string_view name(StoppedBy reason);

// How a hunt ended; text() is what a person wants to read about it.
struct HuntReport {
  std::string name;
  std::uint64_t executions = 0;
  std::uint64_t seed = 0;
  std::uint64_t steps = 0;       // Of all executions.
  std::uint64_t trace_hash = 0;  // search::HuntResult, search::ExhaustiveResult
  double seconds = 0;            // That the search has taken; shrinking comes after it.
  StoppedBy stopped_by = StoppedBy::kCount;
  std::optional<search::Failure> failure;
  std::uint64_t failed_execution = 0;  // The index of the execution that `failure` was made of.
  std::optional<search::Coverage> coverage;  // If it was to be measured.
  std::optional<LockUnderTest> lock;         // What was hunted.
  // How far an exhaustive search has come; of any other, none.
  std::optional<search::ExhaustiveResult> exhaustive;

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
HuntReport hunt_lock(const LockUnderTest& lock, const HuntSettings& settings = {},
                     const HuntWatch& watch = {});
HuntReport hunt_lock(std::string name, Contend contend, const HuntSettings& settings = {});

}  // namespace lockstep::lab
