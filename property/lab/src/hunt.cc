#include "lockstep/lab/hunt.h"

#include <chrono>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "lockstep/lab/job_threads.h"
#include "lockstep/lab/last_words.h"
#include "lockstep/lab/replay.h"
#include "lockstep/lab/words.h"
#include "lockstep/search/exhaustive_jobs.h"
#include "lockstep/search/schedule.h"
#include "lockstep/search/timeline.h"
#include "process/explained.h"
#include "process/forked_searcher.h"
#include "process/forked_trials.h"
#include "process/words_of.h"

namespace lockstep::lab {

namespace {

void require(bool holds, const std::string& otherwise) {
  if (!holds) throw std::invalid_argument(otherwise);
}

template <class Names>
std::string joined(const Names& known) {
  std::string names;
  for (const auto& entry : known) names += (names.empty() ? "" : ", ") + std::string(entry.name);
  return names;
}

// The entry with that name; the error also lists `others`.
template <class Names>
const auto& called(std::string_view name, std::string_view what, const Names& known,
                   std::string_view others = {}) {
  for (const auto& entry : known) {
    if (entry.name == name) return entry;
  }
  throw std::invalid_argument("there is no " + std::string(what) + " '" + std::string(name) +
                              "', only " + joined(known) + std::string(others));
}

void check_way(const HuntSettings& settings) {
  require(settings.jobs >= 1 && settings.jobs <= HuntSettings::kMostJobs,
          std::to_string(settings.jobs) + " jobs cannot hunt: 1 to " +
              std::to_string(HuntSettings::kMostJobs) + " can");
  if (settings.is_exhaustive()) {
    static_cast<void>(reduction_of(settings));
    require(!settings.measure_coverage, "an exhaustive search measures no coverage");
    require(settings.first == 0, "an exhaustive search has no parts");
    const std::string refused = search::refused_faults(settings.faults);
    require(refused.empty(), refused);
    return;
  }
  static_cast<void>(strategy_called(settings.strategy));
  require(settings.reduction.empty(), "only an exhaustive search has a reduction");
}

void check(const LockUnderTest& lock, const HuntSettings& settings) {
  constexpr std::uint32_t kMostInAll = HuntSettings::kMostRoundsInAll;
  const auto [clients, rounds] = settings.size;
  require(clients >= lock.least.clients && clients >= 1 && clients <= HuntSettings::kMostClients,
          std::to_string(clients) + " clients cannot hunt '" + lock.name + "'");
  require(rounds >= lock.least.rounds && rounds >= 1 && rounds <= HuntSettings::kMostRounds,
          std::to_string(rounds) + " rounds cannot hunt '" + lock.name + "'");
  require(clients * rounds <= kMostInAll,
          "more than " + std::to_string(kMostInAll) + " rounds in all take too many steps");
  require(settings.most_executions() > 0, "a hunt needs at least one execution");
  require(settings.seconds > 0, "the time of a hunt has to be positive");  // also refuses NaN
  require(!lock.in_forks || !settings.is_exhaustive(),
          "only a strategy hunts '" + lock.name + "', whose executions run in child processes");
  require(!lock.in_forks || !settings.measure_coverage,
          "executions in child processes measure no coverage");
  check_way(settings);
}

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// The search itself, without shrinking and reporting.
class Search {
 public:
  Search(const LockUnderTest& lock, const HuntSettings& settings, const HuntWatch& watch,
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
  [[nodiscard]] bool is_interrupted() const { return watch_.interrupted && watch_.interrupted(); }
  [[nodiscard]] bool time_is_up() const { return stopwatch_.seconds() >= settings_.seconds; }

  const LockUnderTest& lock_;
  const HuntSettings& settings_;
  const HuntWatch& watch_;
  const Explainer* explainer_;
  Stopwatch stopwatch_;
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

search::HuntResult Search::hunted(const search::HuntOptions& options) {
  if (!lock_.in_forks) {
    JobThreads threads(options.jobs);
    return hunt(options, threads);
  }
  ForkedResult forked = hunt_in_forks(options, lock_.executions_per_fork);
  ended_process_ = forked.ended_process;
  executions_per_fork_ = forked.executions_per_fork;
  return std::move(forked.result);
}

std::optional<search::Found> Search::by_strategy(HuntReport& report) {
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
  report.stopped_by = reason(result, is_interrupted());
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

std::optional<search::Found> Search::everything(HuntReport& report) {
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

std::string where_it_stopped(const HuntReport& report) {
  const std::uint32_t finished = report.exhaustive->budgets_finished;
  std::string text = "; stopped by " + std::string(name(report.stopped_by)) +
                     " within fault budget " +
                     std::to_string(report.exhaustive->fault_budget_reached) + " of " +
                     std::to_string(report.faults.total());
  if (finished == 0) return text + ", no fault budget is exhausted";
  if (finished == 1) return text + ", fault budget 0 is exhausted";
  return text + ", fault budgets 0 to " + std::to_string(finished - 1) + " are exhausted";
}

std::string what_was_cut_short(const search::ExhaustiveResult& result) {
  if (result.cut == 0) return "";
  return "; " + counted(result.cut, "execution") + " cut short: " + after_the_cut(result);
}

// The sessions are connected and the lock's parent exists before the first step.
std::string what_was_judged(const HuntReport& report) {
  const std::string_view idle = report.steps == 0 ? "No contender has sent a request.\n" : "";
  return std::string(idle) + report.judged.text() + '\n';
}

// A user who names a kind of faults expects it to strike.
fakezk::FaultKinds named_and_impossible(const LockUnderTest& lock, const HuntSettings& settings) {
  const fakezk::FaultKinds kinds = settings.faults.any() ? settings.faults.kinds() : 0;
  if (kinds == 0 || kinds == fakezk::kAllFaultKinds) return 0;
  return search::impossible_faults(*lock.program(settings.size)) & kinds;
}

std::string what_cannot_strike(const HuntReport& report) {
  if (report.impossible_faults == 0) return "";
  return "Cannot strike: " + describe_impossible(report.impossible_faults) + ".\n";
}

// How a test can let an exhaustive search go on where this one stopped.
std::string way_on(StoppedBy reason) {
  switch (reason) {
    case StoppedBy::kTime:
      return "LOCKSTEP_SECONDS or HuntSettings::seconds gives the search more time.\n";
    case StoppedBy::kCount:
      return "LOCKSTEP_EXECUTIONS or HuntSettings::executions allows more executions; without it"
             " the search goes on to its end.\n";
    default: return "";
  }
}

}  // namespace

const search::StrategyName& strategy_called(std::string_view name) {
  return called(name, "strategy", search::strategies(),
                ", " + std::string(HuntSettings::kExhaustive));
}

const search::ReductionName& reduction_called(std::string_view name) {
  return called(name, "reduction", search::reductions());
}

const search::ReductionName& reduction_of(const HuntSettings& settings) {
  return settings.reduction.empty() ? search::reductions().back()
                                    : reduction_called(settings.reduction);
}

fakezk::FaultPlan faults_called(std::string_view kinds, std::uint32_t total) {
  fakezk::FaultPlan plan;
  const std::string wrong = search::parse_fault_kinds(kinds, plan);
  require(wrong.empty(), wrong);
  plan.set_total(total);
  return plan.any() ? plan : fakezk::FaultPlan();
}

std::string strategy_names() { return joined(search::strategies()); }
std::string reduction_names() { return joined(search::reductions()); }

std::string_view name(StoppedBy reason) {
  switch (reason) {
    case StoppedBy::kCount: return "count";
    case StoppedBy::kViolation: return "violation";
    case StoppedBy::kTime: return "time";
    case StoppedBy::kInterruption: return "interrupt";
    case StoppedBy::kExhaustion: return "exhaustion";
    case StoppedBy::kDepth: return "depth";
    case StoppedBy::kDependence: return "dependence";
  }
  return "";
}

std::uint64_t HuntSettings::most_executions() const {
  if (executions) return *executions;
  return is_exhaustive() ? kUnbounded : kUsualExecutions;
}

HuntReport hunt_lock(std::string name, Contend contend, const HuntSettings& settings) {
  return hunt_lock(LockUnderTest(std::move(name), std::move(contend)), settings);
}

namespace {

search::Failure explained(const LockUnderTest& lock, const HuntSettings& settings,
                          const Search& search, const search::Found& found) {
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
  search::Failure failure;
  failure.violation = *found.outcome.violation;
  failure.clients = settings.size.clients;
  failure.rounds = settings.size.rounds;
  failure.faults = settings.faults;
  failure.steps = found.outcome.steps;
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
  Search search(lock, settings, watch, explainer ? explainer->explainer() : nullptr);
  const std::optional<search::Found> found = search.run(report);
  if (!found) return report;
  report.failed_execution = found->execution;
  LockUnderTest as_hunted = lock;
  as_hunted.executions_per_fork = search.executions_per_fork();
  report.failure = search.ended_process() ? ended(as_hunted, settings, watch, *found)
                                          : explained(as_hunted, settings, search, *found);
  return report;
}

namespace {

// ": 12 steps with 2 clients, 1 round each (found with 3 clients, 2 rounds each, after 65 steps)".
std::string how_it_was_shrunk(const HuntReport& report) {
  const search::Failure& failure = *report.failure;
  const ScenarioSize size{failure.clients, failure.rounds};
  std::string text = ": " + counted(failure.steps, "step") + " with " + in_words(size);
  const bool is_smaller = size.clients < report.size.clients || size.rounds < report.size.rounds;
  const bool is_shorter = failure.original_steps > failure.steps;
  if (!is_smaller && !is_shorter) return text;
  text += " (found with " + in_words(report.size);
  if (is_shorter) text += ", after " + counted(failure.original_steps, "step");
  return text + ')';
}

}  // namespace

std::string HuntReport::text() const {
  const std::string reached = coverage ? coverage->text() : std::string();
  if (!failure && exhaustive) {
    const bool proves = exhaustive->independence_violated.empty();
    return name + ": " + verdict() + ".\n" + (proves ? what_was_judged(*this) : "") +
           way_on(stopped_by);
  }
  if (!failure) {
    return name + ": " + judged.verdict() + " in " + std::to_string(executions) + " executions\n" +
           what_was_judged(*this) + what_cannot_strike(*this) + reached;
  }
  const search::Violation& violation = failure->violation;
  return name + ' ' + std::string(search::breaks(violation.oracle)) + ' ' + violation.oracle +
         " in execution " + std::to_string(failed_execution) +
         (exhaustive ? "" : " of seed " + std::to_string(seed)) + ".\n" +
         std::string(search::facts(violation.oracle).sentence) + " But:\n" + violation.message +
         "\n\nThe shortest schedule that shows it" + how_it_was_shrunk(*this) + ":\n\n" +
         failure->lanes + "\nIts replay string:\n\n" + failure->replay +
         "\n\nAs a regression test:\n\n" + regression_test() + reached;
}

std::string HuntReport::verdict() const {
  if (!exhaustive) return {};
  if (!exhaustive->independence_violated.empty()) {
    return "independence violated: " + exhaustive->independence_violated +
           ". The search has proved nothing; please report this";
  }
  const std::string traces = counted(exhaustive->traces, "trace");
  const std::string cannot_strike =
      impossible_faults == 0 ? "" : describe_impossible(impossible_faults) + " cannot strike; ";
  const std::string circumstances = ", " + judged.verdict() + " (" + in_words(size) + "; " +
                                    describe_faults(faults) + "; " + cannot_strike +
                                    search::not_judged() + " are not judged in this mode)";
  if (exhaustive->exhausted) {
    return "exhausted: " + traces + " at fault budget " + std::to_string(faults.total()) +
           circumstances;
  }
  return "NOT exhausted: " + traces + circumstances + where_it_stopped(*this) +
         what_was_cut_short(*exhaustive);
}

std::string HuntReport::regression_test(std::string_view mutex) const {
  if (!failure) return {};
  const LockSource source = source_of(*lock, mutex);
  return lab::regression_test(*failure, source.code, true, source.include, source.note);
}

std::string HuntReport::html() const {
  if (!failure) return {};
  search::TimelineCaption caption;
  caption.title = name;
  caption.facts = {{"Found in execution", std::to_string(failed_execution)},
                   {"Seed", std::to_string(seed)},
                   {"Steps", std::to_string(failure->steps)},
                   {"Deviations from the default schedule", std::to_string(failure->deviations)}};
  caption.snippets = {{"Its replay string", failure->replay, false},
                      {"As a regression test", regression_test(), true}};
  return timeline_page(failure->chronicle, caption);
}

}  // namespace lockstep::lab
