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

// The default schedule of a program, by which strategies plan.
struct CalmRun {
  std::uint64_t trace_hash = 0;
  std::uint32_t positions = 0;
  std::vector<std::uint32_t> events;  // By source.
};

// One worker of a hunt: a world, a program, a strategy. Execution i is a function of the program,
// the limits, the seed and i, never of the executions before it.
class Searcher {
 public:
  // Runs the default schedule.
  Searcher(std::unique_ptr<Program> program, std::unique_ptr<Strategy> strategy,
           const ExecutionLimits& limits, std::uint64_t seed);
  // Another searcher has run it.
  Searcher(std::unique_ptr<Program> program, std::unique_ptr<Strategy> strategy,
           const ExecutionLimits& limits, std::uint64_t seed, CalmRun calm_run);

  // Execution 0 follows the default schedule: no faults, no deviations.
  Outcome run(std::uint64_t index, fakezk::Tracer* tracer = nullptr);
  [[nodiscard]] fakezk::World& world() { return world_; }
  // The program's very first execution, which the constructor has run. Execution 0 repeats it.
  [[nodiscard]] const CalmRun& calm_run() const { return calm_run_; }
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
  CalmRun calm_run_;
};

// One execution in 200 is run twice, to find out whether the program is deterministic. Which ones
// depends on the index only, so that a hunt's result does not depend on the number of jobs; 0 and 1
// are among them, to find out early.
[[nodiscard]] constexpr bool is_repeated(std::uint64_t index) {
  return index < 2 || index % 200 == 0;
}
// The summand of an execution in HuntResult::trace_hash.
[[nodiscard]] std::uint64_t hash_of(std::uint64_t index, const Outcome& outcome);

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

// Runs executions until the first violation, the one with the lowest index. Each worker takes the
// next few executions when it is free, and their results are merged in the order of the indices, so
// that the result does not depend on the workers' speed. Some executions are run twice, to find out
// whether the program is deterministic; if it is not, that is a violation
// ("misuse").
HuntResult hunt(const HuntOptions& options, Workers& workers);

}  // namespace lockstep::search
