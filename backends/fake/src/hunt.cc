#include "lockstep/fake/hunt.h"

#include <chrono>
#include <stdexcept>
#include <utility>

#include "lockstep/fake/last_words.h"
#include "lockstep/fake/replay.h"
#include "lockstep/fakezk/explore/timeline.h"

namespace lockstep::fake {

namespace {

void require(bool holds, const std::string& otherwise) {
  if (!holds) throw std::invalid_argument(otherwise);
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
  require(settings.executions > 0, "a hunt of no executions shows nothing");
  require(settings.seconds > 0, "a hunt of no time shows nothing");  // Nor of a time that is none.
}

std::unique_ptr<fakezk::Program> program_of(const LockUnderTest& lock, ScenarioSize size,
                                            const fakezk::FaultPlan& faults) {
  return with_last_words(lock.program(size), lock.name, size, faults);
}

}  // namespace

HuntReport hunt_lock(std::string name, Contend contend, const HuntSettings& settings) {
  return hunt_lock(LockUnderTest(std::move(name), std::move(contend)), settings);
}

HuntReport hunt_lock(const LockUnderTest& lock, const HuntSettings& settings) {
  check(lock, settings);
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(settings.seconds);
  fakezk::HuntOptions options;
  options.limits.faults = settings.faults;
  options.seed = settings.seed;
  options.executions = settings.executions;
  options.measure_coverage = settings.measure_coverage;
  options.make_program = [&] { return program_of(lock, settings.size, settings.faults); };
  options.make_strategy = &fakezk::make_portfolio;
  options.time_is_up = [end] { return std::chrono::steady_clock::now() >= end; };
  fakezk::OneByOne one_worker;
  fakezk::HuntResult result = hunt(options, one_worker);

  HuntReport report;
  report.name = lock.name;
  report.lock = lock;
  report.executions = result.executions;
  report.seed = settings.seed;
  report.coverage = std::move(result.coverage);
  if (result.found) {
    fakezk::Scene scene{lock.name, settings.size.clients, settings.size.rounds,
                        [&](std::uint32_t clients, std::uint32_t rounds) {
                          return program_of(lock, {clients, rounds}, settings.faults);
                        }};
    scene.least_clients = lock.least.clients;
    scene.least_rounds = lock.least.rounds;
    report.failure = explain(scene, options.limits, *result.found);
  }
  return report;
}

std::string HuntReport::text() const {
  const std::string reached = coverage ? coverage->text() : std::string();
  if (!failure) {
    return name + ": no violation in " + std::to_string(executions) + " executions\n" + reached;
  }
  const fakezk::Violation& violation = failure->violation;
  return name + ' ' + std::string(fakezk::breaks(violation.oracle)) + ' ' + violation.oracle +
         " in execution " + std::to_string(executions) + " of seed " + std::to_string(seed) +
         ".\n" + std::string(fakezk::guarantee_sentence(violation.oracle)) + " But:\n" +
         violation.message + "\n\nThe shortest schedule that shows it:\n\n" + failure->lanes +
         "\nIts replay string:\n\n" + failure->replay + "\n\nAs a regression test:\n\n" +
         regression_test() + reached;
}

std::string HuntReport::regression_test(std::string_view mutex) const {
  if (!failure) return {};
  const LockSource source = source_of(*lock, mutex);
  return fake::regression_test(*failure, source.code, true, source.include, source.note);
}

std::string HuntReport::html() const {
  if (!failure) return {};
  fakezk::TimelineCaption caption;
  caption.title = name;
  caption.facts = {{"Found in execution", std::to_string(executions)},
                   {"Seed", std::to_string(seed)},
                   {"Steps", std::to_string(failure->steps)},
                   {"Deviations from the calm schedule", std::to_string(failure->deviations)}};
  caption.snippets = {{"Its replay string", failure->replay, false},
                      {"As a regression test", regression_test(), true}};
  return timeline_page(failure->chronicle, caption);
}

}  // namespace lockstep::fake
