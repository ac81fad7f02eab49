#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "lockstep/search/coverage.h"
#include "lockstep/search/program.h"
#include "lockstep/search/strategy.h"

namespace lockstep::search {

// The kinds of faults that can strike in no execution of this program.
[[nodiscard]] fakezk::FaultKinds impossible_faults(Program& program);

// One worker of a hunt: a world, a program, a strategy. Execution i is a function of the program,
// the limits, the seed and i, never of the executions before it.
class Searcher {
 public:
  Searcher(std::unique_ptr<Program> program, std::unique_ptr<Strategy> strategy,
           const ExecutionLimits& limits, std::uint64_t seed);

  // Execution 0 follows the default schedule: no faults, no deviations.
  Outcome run(std::uint64_t index, fakezk::Tracer* tracer = nullptr);
  [[nodiscard]] fakezk::World& world() { return world_; }
  // The hash of the program's very first execution, on the default schedule, which the constructor
  // has run. Execution 0 repeats it.
  [[nodiscard]] std::uint64_t calm_hash() const { return calm_hash_; }
  // The choices of the last execution.
  [[nodiscard]] const std::vector<fakezk::Deviation>& deviations() const {
    return world_.deviations();
  }

 private:
  fakezk::World world_;
  std::unique_ptr<Program> program_;
  std::unique_ptr<Strategy> strategy_;
  fakezk::Calm calm_;
  ExecutionLimits limits_;
  std::uint64_t seed_;
  fakezk::FaultKinds kinds_ = 0;  // The kinds that can strike in this program.
  std::uint32_t calm_positions_ = 0;
  std::uint64_t calm_hash_ = 0;
  std::vector<std::uint32_t> calm_events_;
};

// Runs the same function once per worker, in parallel or one after another.
class Workers {
 public:
  Workers() = default;
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  virtual ~Workers() = default;
  virtual void each(std::uint32_t count, const std::function<void(std::uint32_t)>& work) = 0;
};

// Runs the workers one after another.
class OneByOne final : public Workers {
 public:
  void each(std::uint32_t count, const std::function<void(std::uint32_t)>& work) override;
};

struct HuntOptions {
  ExecutionLimits limits;
  std::uint64_t seed = 0;
  std::uint64_t first = 0;            // Index of the first execution.
  std::uint64_t executions = 20'000;  // How many.
  std::uint32_t jobs = 1;
  std::function<std::unique_ptr<Program>()> make_program;
  std::function<std::unique_ptr<Strategy>()> make_strategy;
  // Called after every 1024 executions with the number of executions done, in order, by one job at
  // a time; false ends the hunt there.
  std::function<bool(std::uint64_t)> keep_going;
  // Called now and then between executions, by every worker; true ends the hunt.
  std::function<bool()> time_is_up;
  bool measure_coverage = false;
};

struct Found {
  std::uint64_t execution = 0;
  Outcome outcome;
  std::vector<fakezk::Deviation> deviations;
  // The program does not always go the same way, so that repeating an execution proves nothing.
  bool nondeterministic = false;
};

struct HuntResult {
  enum class StoppedBy : std::uint8_t { kCount, kViolation, kTime };
  StoppedBy stopped_by = StoppedBy::kCount;
  std::uint64_t executions = 0;
  std::uint64_t steps = 0;
  // Sum over the executions up to the first violating one; the same for any number of jobs.
  std::uint64_t trace_hash = 0;
  Judgements judged;  // The number of judgements of each oracle in these executions.
  std::optional<Found> found;
  std::optional<Coverage> coverage;  // Set if it was to be measured.
};

// Executes until the first violation, in the order of the indices whatever the workers' speed: each
// worker takes the next few executions when it is free, and their results are merged in order. Some
// executions are run twice, to find out whether the program is deterministic; if it is not, that is
// a violation
// ("misuse").
HuntResult hunt(const HuntOptions& options, Workers& workers);

}  // namespace lockstep::search
