// The laboratory's figures of the suite explorer.
#include <stdexcept>

#include "bench.h"
#include "processor_time.h"
#include "search.h"

namespace lockstep::program {

namespace {

HuntCommand hunt_of(const scenarios::Scenario* scenario, const fakezk::FaultPlan& faults) {
  HuntCommand what;
  what.scenario = scenario;
  what.settings.size = {.clients = 3, .rounds = 1};
  what.settings.faults = faults;
  return what;
}

double executions_per_processor_second(const scenarios::Scenario* scenario,
                                       const fakezk::FaultPlan& faults,
                                       const BenchSettings& settings) {
  HuntCommand what = hunt_of(scenario, faults);
  what.settings.executions = lab::HuntSettings::kUnbounded;
  what.settings.seconds = settings.seconds;
  const double start = processor_seconds();
  const lab::HuntReport report = search(what, false);
  const double gone = processor_seconds() - start;
  if (report.failure) {
    throw std::runtime_error("the lock under measurement breaks " +
                             report.failure->violation.oracle);
  }
  return static_cast<double>(report.executions) / gone;
}

// Measures the time to search all schedules of the same lock.
double exhaustive_processor_seconds(const fakezk::FaultPlan& faults,
                                    const BenchSettings& settings) {
  HuntCommand what = hunt_of(scenarios::find("fair-mutex"), faults);
  what.settings.strategy = lab::HuntSettings::kExhaustive;
  const double start = processor_seconds();
  const lab::HuntReport report = search(what, settings.shows_progress);
  const double gone = processor_seconds() - start;
  expect(report.exhaustive->exhausted, "not exhausted");
  return gone;
}

double search_fault_free(const BenchSettings& settings) {
  return executions_per_processor_second(scenarios::find("fair-mutex"), fakezk::FaultPlan(),
                                         settings);
}
double search_faults(const BenchSettings& settings) {
  return executions_per_processor_second(scenarios::find("fair-mutex"), fakezk::FaultPlan::all(2),
                                         settings);
}
double search_blocking(const BenchSettings& settings) {
  return executions_per_processor_second(scenarios::find_blocking("fair-mutex"),
                                         fakezk::FaultPlan(), settings);
}
double exhaustive_fault_free(const BenchSettings& settings) {
  return exhaustive_processor_seconds(fakezk::FaultPlan(), settings);
}
double exhaustive_one_fault(const BenchSettings& settings) {
  return exhaustive_processor_seconds(fakezk::FaultPlan::all(1), settings);
}
double floor_recipe(const BenchSettings& settings) { return recipe_alone(settings.seconds); }

}  // namespace

ExplorerFigures search_figures() {
  return {{"search_fault_free", kExecutionsPerSecond, &search_fault_free},
          {"search_faults", kExecutionsPerSecond, &search_faults},
          {"search_blocking", kExecutionsPerSecond, &search_blocking},
          {"exhaustive_fault_free_seconds", "s", &exhaustive_fault_free},
          {"exhaustive_one_fault_seconds", "s", &exhaustive_one_fault},
          {"floor_recipe", kExecutionsPerSecond, &floor_recipe}};
}

}  // namespace lockstep::program
