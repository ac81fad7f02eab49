#include "lockstep/lab/hunt.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>

#include "hunt_settings.h"
#include "lockstep/lab/job_threads.h"
#include "lockstep/lab/last_words.h"
#include "lockstep/lab/replay.h"
#include "lockstep/search/exhaustive_jobs.h"
#include "lockstep/search/schedule.h"
#include "process/explained.h"
#include "process/forked_searcher.h"
#include "process/forked_trials.h"
#include "process/words_of.h"

namespace lockstep::lab {

namespace {

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// The search itself, without shrinking and reporting.
class LockHunt {
 public:
  LockHunt(const LockUnderTest& lock, const HuntSettings& settings, const HuntWatch& watch,
           const Explainer* explainer)
      : lock_(lock), settings_(settings), watch_(watch), explainer_(explainer) {}

  std::optional<search::Found> run(HuntReport& report) {
    std::optional<search::Found> found =
        settings_.is_exhaustive() ? everything(report) : by_strategy(report);
    report.seconds = stopwatch_.seconds();
    return found;
  }
  [[nodiscard]] std::unique_ptr<search::Program> program(ScenarioSize size) const {
    return make(size, false);
  }
  [[nodiscard]] search::ExecutionLimits limits() const { return {.faults = settings_.faults}; }
  // Whether the violation that was found has ended a child process of the hunt.
  [[nodiscard]] bool ended_process() const { return ended_process_; }
  // The hunt reduces this when executions in one process turn out to influence each other.
  [[nodiscard]] std::uint32_t executions_per_fork() const { return executions_per_fork_; }

 private:
  [[nodiscard]] std::unique_ptr<search::Program> make(ScenarioSize size, bool is_searched) const {
    return with_last_words(lock_.program(size), {lock_.name, size, settings_.faults,
                                                 watch_.replay_by, explainer_, is_searched});
  }
  std::optional<search::Found> by_strategy(HuntReport& report);
  std::optional<search::Found> everything(HuntReport& report);
  search::HuntResult hunted(const search::HuntOptions& options);
  // Asks no more once the answer has been yes, which need not stay so.
  [[nodiscard]] bool is_interrupted() {
    if (!interrupted_ && watch_.interrupted && watch_.interrupted()) interrupted_ = true;
    return interrupted_;
  }
  [[nodiscard]] bool time_is_up() const { return stopwatch_.seconds() >= settings_.seconds; }

  const LockUnderTest& lock_;
  const HuntSettings& settings_;
  const HuntWatch& watch_;
  const Explainer* explainer_;
  Stopwatch stopwatch_;
  std::atomic<bool> interrupted_ = false;
  bool ended_process_ = false;
  std::uint32_t executions_per_fork_ = 1;
};

StoppedBy reason(const search::HuntResult& result, bool interrupted) {
  switch (result.stopped_by) {
    case search::HuntResult::StoppedBy::kCount: return StoppedBy::kCount;
    case search::HuntResult::StoppedBy::kViolation: return StoppedBy::kViolation;
    case search::HuntResult::StoppedBy::kTime: break;
  }
  return interrupted ? StoppedBy::kInterruption : StoppedBy::kTime;
}

search::HuntResult LockHunt::hunted(const search::HuntOptions& options) {
  if (!lock_.in_forks) {
    JobThreads threads(options.jobs);
    return hunt(options, threads);
  }
  ForkedResult forked = hunt_in_forks(options, lock_.executions_per_fork);
  ended_process_ = forked.ended_process;
  executions_per_fork_ = forked.executions_per_fork;
  return std::move(forked.result);
}

std::optional<search::Found> LockHunt::by_strategy(HuntReport& report) {
  search::HuntOptions options;
  options.limits = limits();
  options.seed = settings_.seed;
  options.first = settings_.first;
  options.executions = settings_.most_executions();
  options.jobs = lock_.shares_nothing() ? settings_.jobs : 1;
  options.measure_coverage = settings_.measure_coverage;
  options.make_program = [this] { return make(settings_.size, true); };
  options.make_strategy = strategy_called(settings_.strategy).make;
  options.keep_going = [this](std::uint64_t done) {
    if (watch_.progress) watch_.progress(done);
    return true;
  };
  options.time_is_up = [this] { return is_interrupted() || time_is_up(); };
  search::HuntResult result = hunted(options);
  report.executions = result.executions;
  report.steps = result.steps;
  report.trace_hash = result.trace_hash;
  report.judged = result.judged;
  report.stopped_by = reason(result, interrupted_);
  report.coverage = std::move(result.coverage);
  return std::move(result.found);
}

StoppedBy reason(const search::ExhaustiveResult& result, bool interrupted, bool out_of_time) {
  if (result.exhausted) return StoppedBy::kExhaustion;
  if (result.found) return StoppedBy::kViolation;
  if (!result.independence_violated.empty()) return StoppedBy::kDependence;
  if (interrupted) return StoppedBy::kInterruption;
  if (out_of_time) return StoppedBy::kTime;
  return result.cut > 0 && !result.stopped_by_count ? StoppedBy::kDepth : StoppedBy::kCount;
}

std::optional<search::Found> LockHunt::everything(HuntReport& report) {
  bool interrupted = false;
  bool out_of_time = false;
  search::ExhaustiveOptions options;
  options.limits = limits();
  options.reduction = reduction_of(settings_).reduction;
  const std::uint64_t most = settings_.most_executions();
  if (most < HuntSettings::kUnbounded) options.executions = most;
  std::mutex asking;
  options.keep_going = [&](std::uint64_t done) {
    const std::lock_guard lock(asking);
    if (watch_.progress) watch_.progress(done);
    interrupted = is_interrupted();
    out_of_time = time_is_up();
    return !interrupted && !out_of_time;
  };
  options.progress = [&](const search::ExhaustiveEstimate& estimate) {
    const std::lock_guard lock(asking);
    if (watch_.estimate) watch_.estimate(estimate);
  };
  options.checkpoint = watch_.checkpoint;
  search::ExhaustiveJobs jobs;
  jobs.count = lock_.shares_nothing() ? settings_.jobs : 1;
  jobs.make_program = [this] { return program(settings_.size); };
  JobThreads threads(jobs.count);
  report.exhaustive = search_exhaustively(options, jobs, threads);
  report.executions = report.exhaustive->executions;
  report.steps = report.exhaustive->steps;
  report.trace_hash = report.exhaustive->trace_hash;
  report.judged = report.exhaustive->judged;
  report.stopped_by = reason(*report.exhaustive, interrupted, out_of_time);
  return report.exhaustive->found;
}

// A user who names a kind of faults expects it to strike.
fakezk::FaultKinds named_and_impossible(const LockUnderTest& lock, const HuntSettings& settings) {
  const fakezk::FaultKinds kinds = settings.faults.any() ? settings.faults.kinds() : 0;
  if (kinds == 0 || kinds == fakezk::kAllFaultKinds) return 0;
  return search::impossible_faults(*lock.program(settings.size)) & kinds;
}

}  // namespace

HuntReport hunt_lock(std::string name, Contend contend, const HuntSettings& settings) {
  return hunt_lock(LockUnderTest(std::move(name), std::move(contend)), settings);
}

namespace {

search::Failure explained(const LockUnderTest& lock, const HuntSettings& settings,
                          const LockHunt& search, const search::Found& found) {
  constexpr std::chrono::seconds kLongestTime(10);
  ForkedTrials trials([&](ScenarioSize size) { return search.program(size); }, Hunts::kInChildren,
                      lock.executions_per_fork, kLongestTime);
  search::Scene scene{lock.name, settings.size.clients, settings.size.rounds,
                      [&](std::uint32_t clients, std::uint32_t rounds) {
                        return search.program({clients, rounds});
                      }};
  scene.least_clients = lock.least.clients;
  scene.least_rounds = lock.least.rounds;
  if (lock.in_forks) scene.trials = &trials;
  return explain(scene, search.limits(), found);
}

// A schedule that ends its process cannot be run in this one. If it does not end a process again,
// it is shown as it was found.
search::Failure ended(const LockUnderTest& lock, const HuntSettings& settings,
                      const HuntWatch& watch, const search::Found& found) {
  if (std::optional<search::Failure> failure =
          failure_of_end(lock, settings, watch.replay_by, found.deviations)) {
    return *std::move(failure);
  }
  search::ShrunkScene as_found;
  as_found.clients = settings.size.clients;
  as_found.rounds = settings.size.rounds;
  as_found.limits.faults = settings.faults;
  as_found.schedule.deviations = found.deviations;
  as_found.schedule.outcome = found.outcome;
  search::Failure failure = failure_of(lock, std::move(as_found));
  failure.steps = found.outcome.steps;
  failure.original_deviations = found.deviations.size();
  failure.show(search::Chronicle());
  return failure;
}

}  // namespace

HuntReport hunt_lock(const LockUnderTest& lock, const HuntSettings& settings,
                     const HuntWatch& watch) {
  check(lock, settings);
  HuntReport report;
  report.name = lock.name;
  report.lock = lock;
  report.size = settings.size;
  report.faults = settings.faults;
  report.seed = settings.seed;
  report.impossible_faults = named_and_impossible(lock, settings);
  std::optional<ExplainerProcess> explainer;
  if (!lock.in_forks) {
    explainer.emplace([&](const End& end) { explain_end(lock, settings, watch.replay_by, end); });
  }
  LockHunt search(lock, settings, watch, explainer ? explainer->explainer() : nullptr);
  const std::optional<search::Found> found = search.run(report);
  if (!found) return report;
  report.failed_execution = found->execution;
  LockUnderTest as_hunted = lock;
  as_hunted.executions_per_fork = search.executions_per_fork();
  report.failure = search.ended_process() ? ended(as_hunted, settings, watch, *found)
                                          : explained(as_hunted, settings, search, *found);
  return report;
}

}  // namespace lockstep::lab
