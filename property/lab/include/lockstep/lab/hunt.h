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

// The scope and the method of a hunt.
struct HuntSettings {
  static constexpr std::uint32_t kMostClients = 64;
  static constexpr std::uint32_t kMostRounds = 100;
  static constexpr std::uint32_t kMostRoundsInAll = 640;  // most_steps_of
  static constexpr std::uint32_t kUsualFaults = 2;
  static constexpr std::uint32_t kMostFaults = search::FaultTimes::kMost;
  static constexpr std::uint64_t kUsualExecutions = 20'000;
  static constexpr std::uint64_t kMostExecutions = 1'000'000'000'000;  // An upper limit for input.
  static constexpr std::uint64_t kUnbounded = std::uint64_t{1} << 62;  // Bounded by time only.
  static constexpr std::uint32_t kMostJobs = 256;
  static constexpr std::string_view kExhaustive = "exhaustive";

  ScenarioSize size = {};
  fakezk::FaultPlan faults = fakezk::FaultPlan::all(kUsualFaults);
  // The most executions. Default: kUsualExecutions; no bound for an exhaustive search, which ends
  // by itself.
  std::optional<std::uint64_t> executions = {};
  std::uint64_t seed = 1;
  // The index of the first execution: a hunt may be a part of a larger one. An exhaustive search
  // has no parts.
  std::uint64_t first = 0;
  // The hunt also ends after this time. This is the only setting that makes the number of
  // executions depend on the machine; the same execution has the same result on every machine.
  double seconds = std::numeric_limits<double>::infinity();
  bool measure_coverage = false;  // Takes ten times as long.
  // One of search::strategies(), or "exhaustive", which tries every schedule unless a number of
  // executions or a time bounds it.
  std::string strategy{search::strategies().front().name};
  // For an exhaustive search: one of search::reductions(); empty means the best.
  std::string reduction = {};
  // The most threads, each with its own world; the result does not depend on their number. Only
  // contenders that share no memory (LockUnderTest::isolated) are hunted by more than one thread,
  // and an exhaustive search uses one if `executions` bounds it.
  std::uint32_t jobs = 1;

  // These settings, overridden by the environment: LOCKSTEP_SEED, LOCKSTEP_EXECUTIONS,
  // LOCKSTEP_SECONDS, LOCKSTEP_COVERAGE (1 or 0), LOCKSTEP_STRATEGY, LOCKSTEP_REDUCTION,
  // LOCKSTEP_JOBS, LOCKSTEP_FAULTS (as `lockstep hunt --faults`) and LOCKSTEP_FAULT_BUDGET. Seconds
  // without executions mean as many as fit. Throws std::invalid_argument, with the reason, for a
  // malformed number or an unknown fault.
  [[nodiscard]] HuntSettings with_environment() const;

  // The number of executions at which the hunt ends if nothing else ends it.
  [[nodiscard]] std::uint64_t most_executions() const;
  [[nodiscard]] bool is_exhaustive() const { return strategy == kExhaustive; }
};

// Whether this size is within the limits of a scenario.
[[nodiscard]] constexpr bool possible(ScenarioSize size) {
  return size.clients >= 1 && size.clients <= HuntSettings::kMostClients && size.rounds >= 1 &&
         size.rounds <= HuntSettings::kMostRounds &&
         size.clients * size.rounds <= HuntSettings::kMostRoundsInAll;
}

// Parse a word of a command line, of the environment or of HuntSettings. Each throws
// std::invalid_argument, with the reason, for an unknown word.
[[nodiscard]] const search::StrategyName& strategy_called(std::string_view name);
[[nodiscard]] const search::ReductionName& reduction_called(std::string_view name);
// HuntSettings::reduction, or the best.
[[nodiscard]] const search::ReductionName& reduction_of(const HuntSettings& settings);
// "all", "none", or kinds with optional caps: "cut,expiry:1". Plans for equal faults are equal, so
// that their searches draw equal schedules.
[[nodiscard]] fakezk::FaultPlan faults_called(std::string_view kinds, std::uint32_t total);
// The known words: "portfolio, random", without "exhaustive".
[[nodiscard]] std::string strategy_names();
[[nodiscard]] std::string reduction_names();

// Callbacks to the caller of a hunt while it runs.
struct HuntWatch {
  // Called from time to time with the number of executions so far.
  std::function<void(std::uint64_t)> progress = {};
  // Called whenever an exhaustive search has finished a combination of faults.
  std::function<void(const search::ExhaustiveEstimate&)> estimate = {};
  // Where an exhaustive search keeps what it has finished: ExhaustiveOptions::checkpoint.
  search::Checkpoint* checkpoint = nullptr;
  // Called from time to time by every thread of the hunt; true ends the hunt.
  std::function<bool()> interrupted = {};
  // Last words print this before the replay string (lockstep/lab/last_words.h).
  std::string replay_by = "LOCKSTEP_REPLAY=";
};

// Why a hunt has ended. The last three are of exhaustive searches: everything was tried; everything
// but the rest of executions that were cut short was tried; the search has contradicted itself.
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

// How a hunt ended; text() is a report for people.
struct HuntReport {
  std::string name;
  ScenarioSize size;
  fakezk::FaultPlan faults;
  std::uint64_t executions = 0;
  std::uint64_t seed = 0;
  std::uint64_t steps = 0;       // of all executions
  std::uint64_t trace_hash = 0;  // search::HuntResult, search::ExhaustiveResult
  double seconds = 0;            // of the search alone, without shrinking
  StoppedBy stopped_by = StoppedBy::kCount;
  // Kinds that the settings allow by name (not as one of all), and that can strike in no execution.
  fakezk::FaultKinds impossible_faults = 0;
  std::optional<search::Failure> failure;
  std::uint64_t failed_execution = 0;  // The index of the execution that `failure` was shrunk from.
  // The number of facts that each oracle judged in these executions.
  search::Judgements judged;
  std::optional<search::Coverage> coverage;  // if it was measured
  std::optional<LockUnderTest> lock;         // the lock that was hunted
  // How far an exhaustive search got; empty for other strategies.
  std::optional<search::ExhaustiveResult> exhaustive;

  // An exhaustive search that contradicts itself has proved nothing and does not pass.
  [[nodiscard]] bool passed() const {
    return !failure && (!exhaustive || exhaustive->independence_violated.empty());
  }
  [[nodiscard]] std::string text() const;
  // Says what an exhaustive search without a violation has shown, in one sentence without a full
  // stop: "exhausted: 708 traces at fault budget 0, no violation (...)", or where it stopped.
  [[nodiscard]] std::string verdict() const;
  // After a failure: the source of a GoogleTest that replays it (LockUnderTest::source). `mutex` is
  // the C++ class; if neither it nor the source is given, the class name is derived from the lock's
  // name: MyMutex for "my-mutex".
  [[nodiscard]] std::string regression_test(std::string_view mutex = {}) const;
  // After a failure: the failure as a self-contained HTML page.
  [[nodiscard]] std::string html() const;
};

// START HERE (recipe authors): searches the schedules of a lock for one that breaks a guarantee
// (LockOracles lists them), and shrinks the first one that it finds.
//
//   const lab::HuntReport report = lab::hunt_lock("my-mutex", &lab::contend_for<MyMutex>);
//   EXPECT_TRUE(report.passed()) << report.text();
//
// The same settings give the same report everywhere. Runs on the calling thread, and on more
// threads with HuntSettings::jobs. An exception that escapes from the lock is a violation. If the
// lock ends the process, by abort(), a bad pointer or exit(), the replay string of that execution
// is printed first: lockstep/lab/last_words.h. Throws std::invalid_argument, with the reason, for
// unusable settings and for a lock that cannot be made (LockUnderTest::program), and
// std::system_error if the machine has no process for executions in child processes (in_forks).
HuntReport hunt_lock(const LockUnderTest& lock, const HuntSettings& settings = {},
                     const HuntWatch& watch = {});
HuntReport hunt_lock(std::string name, Contend contend, const HuntSettings& settings = {});

}  // namespace lockstep::lab
