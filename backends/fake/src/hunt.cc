#include "lockstep/fake/hunt.h"

#include <chrono>
#include <utility>

#include "lockstep/fake/replay.h"
#include "lockstep/fakezk/explore/timeline.h"

namespace lockstep::fake {

HuntReport hunt_lock(std::string name, LockScenario::Contend contend,
                     const HuntSettings& settings) {
  return hunt_lock(LockUnderTest(std::move(name), contend), settings);
}

HuntReport hunt_lock(const LockUnderTest& lock, const HuntSettings& settings) {
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(settings.seconds);
  fakezk::HuntOptions options;
  options.limits.faults = settings.faults;
  options.seed = settings.seed;
  options.executions = settings.executions;
  options.measure_coverage = settings.measure_coverage;
  options.make_program = [&] { return lock.program(settings.size); };
  options.make_strategy = &fakezk::make_portfolio;
  options.keep_going = [end](std::uint64_t) { return std::chrono::steady_clock::now() < end; };
  fakezk::OneByOne one_worker;
  fakezk::HuntResult result = hunt(options, one_worker);

  HuntReport report;
  report.name = lock.name;
  report.source = lock.source;
  report.executions = result.executions;
  report.seed = settings.seed;
  report.coverage = std::move(result.coverage);
  if (result.found) {
    const fakezk::Scene scene{lock.name, settings.size.clients, settings.size.rounds,
                              [&lock](std::uint32_t clients, std::uint32_t rounds) {
                                return lock.program({clients, rounds});
                              }};
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
  return name + " breaks " + violation.oracle + " in execution " + std::to_string(executions) +
         " of seed " + std::to_string(seed) + ".\n" +
         std::string(fakezk::guarantee_sentence(violation.oracle)) + " But:\n" + violation.message +
         "\n\nThe shortest schedule that shows it:\n\n" + failure->lanes +
         "\nIts replay string:\n\n" + failure->replay + "\n\nAs a regression test:\n\n" +
         regression_test() + reached;
}

std::string HuntReport::regression_test(std::string_view mutex) const {
  if (!failure) return {};
  if (mutex.empty() && !source.empty()) return fake::regression_test(*failure, source, true, "");
  const std::string named = mutex.empty() ? class_name(name) : std::string(mutex);
  return fake::regression_test(*failure, "&lockstep::fake::contend_for<" + named + ">", true, "");
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
