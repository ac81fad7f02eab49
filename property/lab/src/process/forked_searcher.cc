#include "process/forked_searcher.h"

#include <string>
#include <utility>

#include "lockstep/search/oracle.h"

namespace lockstep::lab {

namespace {

// The watchdog waits as long.
constexpr unsigned kLongestSeconds = 10;
constexpr std::uint64_t kBetweenCalls = 1024;  // As in search::hunt().

ReportedTrial killed(IfSlow if_slow) {
  const bool is_crash = if_slow == IfSlow::kCrash;
  ReportedTrial told;
  told.ended_process = is_crash;
  if (is_crash) {
    told.trial.outcome.violation =
        search::Violation{std::string(name(search::Oracle::kCrash)),
                          "the process of this execution has been killed, or did not end in " +
                              std::to_string(kLongestSeconds) + " seconds",
                          0};
  }
  return told;
}

search::Violation not_deterministic(std::uint32_t steps, std::uint32_t steps_again) {
  std::string message =
      "the program is not deterministic: two runs of one schedule differ, after " +
      std::to_string(steps) + " and " + std::to_string(steps_again) +
      " steps. Does it use a clock, an address or a file as an input?";
  return {std::string(name(search::Oracle::kMisuse)), std::move(message), 0};
}

}  // namespace

ForkedSearcher::ForkedSearcher(MakeProgram make_program, MakeStrategy make_strategy,
                               const search::ExecutionLimits& limits, std::uint64_t seed,
                               std::uint32_t executions_per_fork)
    : make_program_(std::move(make_program)),
      make_strategy_(std::move(make_strategy)),
      limits_(limits),
      seed_(seed),
      worker_(executions_per_fork) {}

std::optional<ReportedTrial> ForkedSearcher::run_calmly(IfSlow if_slow) {
  std::optional<ReportedTrial> told = in_child(kLongestSeconds, if_slow, [&](int file) {
    search::Searcher searcher(make_program_(), make_strategy_(), limits_, seed_);
    const search::CalmRun& calm = searcher.calm_run();
    search::Trial trial;
    trial.outcome.trace_hash = calm.trace_hash;
    trial.outcome.positions = calm.positions;
    write_trial(file, trial, calm.events);
  });
  if (!told) return killed(if_slow);
  if (told->ended_process) return told;
  const search::Outcome& calm = told->trial.outcome;
  searcher_ = std::make_unique<search::Searcher>(
      make_program_(), make_strategy_(), limits_, seed_,
      search::CalmRun{calm.trace_hash, calm.positions, std::move(told->events)});
  return std::nullopt;
}

ReportedTrial ForkedSearcher::run(std::uint64_t index, IfSlow if_slow) {
  if (!searcher_) {
    if (std::optional<ReportedTrial> broken = run_calmly(if_slow)) return *broken;
  }
  std::optional<ReportedTrial> told = worker_.run(
      {.execution = index}, kLongestSeconds, if_slow, [this](const Order& order, int file) {
        search::Trial trial{searcher_->run(order.execution), {}};
        if (trial.outcome.violation) trial.deviations = searcher_->deviations();
        write_trial(file, trial);
      });
  return told ? *std::move(told) : killed(if_slow);
}

ReportedTrial ForkedSearcher::run_afresh(std::uint64_t index, IfSlow if_slow) {
  worker_.end();
  return run(index, if_slow);
}

namespace {

bool is_same(const ReportedTrial& a, const ReportedTrial& b) {
  return a.ended_process == b.ended_process &&
         a.trial.outcome.trace_hash == b.trial.outcome.trace_hash &&
         a.trial.outcome.violation.has_value() == b.trial.outcome.violation.has_value();
}

enum class Next : std::uint8_t { kGoesOn, kFound, kDependsOnEarlierOnes };

// Runs the next execution. Repeats one in 200, and each one with a finding, in another child.
Next search_next(ForkedSearcher& searcher, std::uint64_t index, ForkedResult& forked) {
  search::HuntResult& result = forked.result;
  ReportedTrial told = searcher.run(index, IfSlow::kCrash);
  search::Outcome& outcome = told.trial.outcome;
  bool is_nondeterministic = false;
  const bool repeats = search::is_repeated(index) && !told.ended_process;
  const bool shares = forked.executions_per_fork > 1;
  if (repeats || (shares && outcome.violation)) {
    const ReportedTrial again = searcher.run_afresh(index, IfSlow::kCrash);
    is_nondeterministic = !is_same(told, again);
    if (is_nondeterministic && shares) return Next::kDependsOnEarlierOnes;
    if (is_nondeterministic) {
      outcome.violation = not_deterministic(outcome.steps, again.trial.outcome.steps);
    }
  }
  ++result.executions;
  result.steps += outcome.steps;
  result.judged += outcome.judged;
  result.trace_hash += hash_of(index, outcome);
  if (!outcome.violation) return Next::kGoesOn;
  forked.ended_process = told.ended_process;
  result.found = search::Found{index, std::move(outcome), std::move(told.trial.deviations),
                               is_nondeterministic};
  return Next::kFound;
}

}  // namespace

ForkedResult hunt_in_forks(const search::HuntOptions& options, std::uint32_t executions_per_fork) {
  using Reason = search::HuntResult::StoppedBy;
  ForkedSearcher searcher(options.make_program, options.make_strategy, options.limits, options.seed,
                          executions_per_fork);
  ForkedResult forked;
  forked.executions_per_fork = executions_per_fork;
  search::HuntResult& result = forked.result;
  result.stopped_by = Reason::kCount;
  while (result.executions < options.executions) {
    const std::uint64_t index = options.first + result.executions;
    const Next next = search_next(searcher, index, forked);
    if (next == Next::kDependsOnEarlierOnes) return hunt_in_forks(options, 1);
    if (next == Next::kFound) {
      result.stopped_by = Reason::kViolation;
      break;
    }
    const bool reports = (index + 1) % kBetweenCalls == 0;
    const bool goes_on = !reports || !options.keep_going || options.keep_going(result.executions);
    if (goes_on && !(options.time_is_up && options.time_is_up())) continue;
    if (result.executions < options.executions) result.stopped_by = Reason::kTime;
    break;
  }
  return forked;
}

}  // namespace lockstep::lab
