#include "lockstep/fake/hunt.h"

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
  if (result.found) {
    LockScenario scenario(contend, settings.size);
    report.failure = explain(scenario, options.limits, *result.found, report.name,
                             settings.size.clients, settings.size.rounds);
  }
  return report;
}

std::string HuntReport::text() const {
  if (!failure) return name + ": no violation in " + std::to_string(executions) + " executions\n";
  return name + " breaks " + failure->violation.oracle + " in execution " +
         std::to_string(executions) + ": " + failure->violation.message +
         "\n\nThe shortest schedule that shows it:\n\n" + failure->lanes + "\n" + failure->replay +
         "\n";
}

}  // namespace lockstep::fake
