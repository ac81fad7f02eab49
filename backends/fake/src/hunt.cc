#include "lockstep/fake/hunt.h"

#include "lockstep/fake/replay.h"
#include "lockstep/fakezk/explore/timeline.h"

namespace lockstep::fake {

HuntReport hunt_lock(std::string name, LockScenario::Contend contend,
                     const HuntSettings& settings) {
  fakezk::HuntOptions options;
  options.limits.faults = settings.faults;
  options.seed = settings.seed;
  options.executions = settings.executions;
  options.make_program = [&] { return std::make_unique<LockScenario>(contend, settings.size); };
  options.make_strategy = &fakezk::make_portfolio;
  fakezk::OneByOne one_worker;
  const fakezk::HuntResult result = hunt(options, one_worker);

  HuntReport report;
  report.name = std::move(name);
  report.executions = result.executions;
  report.seed = settings.seed;
  if (result.found) {
    const fakezk::Scene scene{report.name, settings.size.clients, settings.size.rounds,
                              [contend](std::uint32_t clients, std::uint32_t rounds) {
                                return std::make_unique<LockScenario>(
                                    contend, ScenarioSize{clients, rounds});
                              }};
    report.failure = explain(scene, options.limits, *result.found);
  }
  return report;
}

std::string HuntReport::text() const {
  if (!failure) return name + ": no violation in " + std::to_string(executions) + " executions\n";
  const fakezk::Violation& violation = failure->violation;
  return name + " breaks " + violation.oracle + " in execution " + std::to_string(executions) +
         " of seed " + std::to_string(seed) + ".\n" +
         std::string(fakezk::guarantee_sentence(violation.oracle)) + " But:\n" + violation.message +
         "\n\nThe shortest schedule that shows it:\n\n" + failure->lanes +
         "\nIts replay string:\n\n" + failure->replay + "\n\nAs a regression test:\n\n" +
         regression_test();
}

std::string HuntReport::regression_test(std::string_view mutex) const {
  if (!failure) return {};
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
