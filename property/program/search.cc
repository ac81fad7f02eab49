#include "search.h"

#include <chrono>

#include "interruption.h"
#include "lockstep/lab/job_threads.h"
#include "progress.h"
#include "scenarios/last_words.h"

namespace lockstep::program {

search::ExecutionLimits limits_of(const fakezk::FaultPlan& faults) {
  search::ExecutionLimits limits;
  limits.faults = faults;
  return limits;
}

search::Failure explain(const Search& what, const search::Found& found) {
  const search::Scene scene{std::string(what.scenario->name), what.size.clients, what.size.rounds,
                            [&what](std::uint32_t clients, std::uint32_t rounds) {
                              return scenarios::make_program(*what.scenario, {clients, rounds},
                                                             what.faults);
                            }};
  return search::explain(scene, limits_of(what.faults), found);
}

Searched search(const Search& what, bool show_progress) {
  const auto start = std::chrono::steady_clock::now();
  const auto gone = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  Progress progress(show_progress, what.executions, what.seconds);
  Searched searched;
  search::HuntOptions options;
  options.limits = limits_of(what.faults);
  options.seed = what.seed;
  options.first = what.first;
  options.executions = what.executions;
  options.jobs = what.jobs;
  options.measure_coverage = what.coverage;
  options.make_program = [&] {
    return scenarios::make_program(*what.scenario, what.size, what.faults);
  };
  options.make_strategy = what.strategy->make;
  options.keep_going = [&](std::uint64_t done) {
    progress.update(done);
    return true;
  };
  options.time_is_up = [&] { return interrupted_by() != 0 || gone() >= what.seconds; };
  lab::JobThreads threads(what.jobs);
  searched.result = hunt(options, threads);
  searched.interrupted =
      searched.result.stopped_by == search::HuntResult::StoppedBy::kTime && interrupted_by() != 0;
  searched.seconds = gone();
  return searched;
}

}  // namespace lockstep::program
