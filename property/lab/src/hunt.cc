#include "lockstep/lab/hunt.h"

#include <chrono>
#include <functional>
#include <stdexcept>
#include <utility>

#include "lockstep/lab/job_threads.h"
#include "lockstep/lab/last_words.h"
#include "lockstep/lab/replay.h"
#include "lockstep/search/timeline.h"

namespace lockstep::lab {

namespace {

void require(bool holds, const std::string& otherwise) {
  if (!holds) throw std::invalid_argument(otherwise);
}

constexpr std::string_view kExhaustive = "exhaustive";

// The entry of that name; `others` are words that would do as well.
template <class Names>
const auto& called(std::string_view name, std::string_view what, const Names& known,
                   std::string_view others = {}) {
  std::string names;
  for (const auto& entry : known) {
    if (entry.name == name) return entry;
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw std::invalid_argument("there is no " + std::string(what) + " '" + std::string(name) +
                              "', only " + names + std::string(others));
}

search::Reduction reduction_of(const HuntSettings& settings) {
  if (settings.reduction.empty()) return search::reductions().back().reduction;
  return called(settings.reduction, "reduction", search::reductions()).reduction;
}

const search::StrategyName& strategy_of(const HuntSettings& settings) {
  return called(settings.strategy, "strategy", search::strategies(), ", exhaustive");
}

void check_way(const HuntSettings& settings) {
  require(settings.jobs >= 1 && settings.jobs <= HuntSettings::kMostJobs,
          std::to_string(settings.jobs) + " jobs cannot hunt: 1 to " +
              std::to_string(HuntSettings::kMostJobs) + " can");
  if (settings.strategy == kExhaustive) {
    static_cast<void>(reduction_of(settings));
    require(!settings.measure_coverage, "an exhaustive search measures no coverage");
    return;
  }
  static_cast<void>(strategy_of(settings));
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
  require(settings.most_executions() > 0, "a hunt of no executions shows nothing");
  require(settings.seconds > 0, "a hunt of no time shows nothing");  // Nor of a time that is none.
  check_way(settings);
}

std::unique_ptr<search::Program> program_of(const LockUnderTest& lock, ScenarioSize size,
                                            const fakezk::FaultPlan& faults) {
  return with_last_words(lock.program(size), lock.name, size, faults);
}

search::ExecutionLimits limits_of(const HuntSettings& settings) {
  search::ExecutionLimits limits;
  limits.faults = settings.faults;
  return limits;
}

// What ends a search by time.
std::function<bool()> until(const HuntSettings& settings) {
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(settings.seconds);
  return [end] { return std::chrono::steady_clock::now() >= end; };
}

std::optional<search::Found> search(const LockUnderTest& lock, const HuntSettings& settings,
                                    HuntReport& report) {
  search::HuntOptions options;
  options.limits = limits_of(settings);
  options.seed = settings.seed;
  options.executions = settings.most_executions();
  options.jobs = lock.isolated ? settings.jobs : 1;
  options.measure_coverage = settings.measure_coverage;
  options.make_program = [&] { return program_of(lock, settings.size, settings.faults); };
  options.make_strategy = strategy_of(settings).make;
  options.time_is_up = until(settings);
  JobThreads threads(options.jobs);
  search::HuntResult result = hunt(options, threads);
  report.executions = result.executions;
  report.out_of_time = result.stopped_by == search::HuntResult::StoppedBy::kTime;
  report.coverage = std::move(result.coverage);
  return std::move(result.found);
}

std::optional<search::Found> search_everything(const LockUnderTest& lock,
                                               const HuntSettings& settings, HuntReport& report) {
  search::ExhaustiveOptions options;
  options.limits = limits_of(settings);
  options.reduction = reduction_of(settings);
  options.executions = settings.most_executions();
  options.keep_going = [&report, is_over = until(settings)](std::uint64_t) {
    report.out_of_time = is_over();
    return !report.out_of_time;
  };
  const auto program = program_of(lock, settings.size, settings.faults);
  report.exhaustive = search_exhaustively(*program, options);
  report.executions = report.exhaustive->executions;
  return report.exhaustive->found;
}

// Why a search that has found nothing is not exhausted, and what to do about it.
std::string why_it_stopped(const search::ExhaustiveResult& reached, bool out_of_time) {
  if (out_of_time) return ", stopped by its time (LOCKSTEP_SECONDS, HuntSettings::seconds)";
  if (reached.stopped_by_count) {
    return ", stopped by its bound of " + std::to_string(reached.executions) +
           " executions (LOCKSTEP_EXECUTIONS, HuntSettings::executions; without one it goes on to"
           " its end)";
  }
  if (reached.cut > 0) return ", some executions have no end of their own";
  return "";
}

std::string how_far(const search::ExhaustiveResult& reached, bool out_of_time) {
  if (!reached.independence_violated.empty()) {
    return "independence violated: " + reached.independence_violated +
           ". The search has proved nothing; please report this.\n";
  }
  std::string text = reached.exhausted
                         ? "exhausted: "
                         : "NOT exhausted" + why_it_stopped(reached, out_of_time) + ": ";
  text += std::to_string(reached.traces) + " traces, no violation in " +
          std::to_string(reached.executions) + " executions; ";
  text += reached.budgets_finished == 0
              ? "no fault budget is exhausted"
              : "every schedule with at most " + std::to_string(reached.fault_budget) +
                    " faults was tried";
  if (reached.cut > 0) {
    text += "; " + std::to_string(reached.cut) + " of them cut short: " + behind_the_cut(reached);
  }
  return text + " (L3 and livelock by repetition are not judged in this mode)\n";
}

}  // namespace

std::uint64_t HuntSettings::most_executions() const {
  if (executions) return *executions;
  return strategy == kExhaustive ? search::ExhaustiveOptions().executions : kUsualExecutions;
}

HuntReport hunt_lock(std::string name, Contend contend, const HuntSettings& settings) {
  return hunt_lock(LockUnderTest(std::move(name), std::move(contend)), settings);
}

HuntReport hunt_lock(const LockUnderTest& lock, const HuntSettings& settings) {
  check(lock, settings);
  HuntReport report;
  report.name = lock.name;
  report.lock = lock;
  report.seed = settings.seed;
  const std::optional<search::Found> found = settings.strategy == kExhaustive
                                                 ? search_everything(lock, settings, report)
                                                 : search(lock, settings, report);
  if (!found) return report;
  search::Scene scene{lock.name, settings.size.clients, settings.size.rounds,
                      [&](std::uint32_t clients, std::uint32_t rounds) {
                        return program_of(lock, {clients, rounds}, settings.faults);
                      }};
  scene.least_clients = lock.least.clients;
  scene.least_rounds = lock.least.rounds;
  report.failure = explain(scene, limits_of(settings), *found);
  return report;
}

std::string HuntReport::text() const {
  const std::string reached = coverage ? coverage->text() : std::string();
  if (!failure && exhaustive) return name + ": " + how_far(*exhaustive, out_of_time);
  if (!failure) {
    return name + ": no violation in " + std::to_string(executions) + " executions\n" + reached;
  }
  const search::Violation& violation = failure->violation;
  return name + ' ' + std::string(search::breaks(violation.oracle)) + ' ' + violation.oracle +
         " in execution " + std::to_string(executions) +
         (exhaustive ? "" : " of seed " + std::to_string(seed)) + ".\n" +
         std::string(search::guarantee_sentence(violation.oracle)) + " But:\n" + violation.message +
         "\n\nThe shortest schedule that shows it:\n\n" + failure->lanes +
         "\nIts replay string:\n\n" + failure->replay + "\n\nAs a regression test:\n\n" +
         regression_test() + reached;
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
  caption.facts = {{"Found in execution", std::to_string(executions)},
                   {"Seed", std::to_string(seed)},
                   {"Steps", std::to_string(failure->steps)},
                   {"Deviations from the calm schedule", std::to_string(failure->deviations)}};
  caption.snippets = {{"Its replay string", failure->replay, false},
                      {"As a regression test", regression_test(), true}};
  return timeline_page(failure->chronicle, caption);
}

}  // namespace lockstep::lab
