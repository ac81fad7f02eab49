#include "search.h"

#include <chrono>

#include "job_threads.h"
#include "progress.h"

namespace lockstep::program {

fakezk::ExecutionLimits limits_of(const fakezk::FaultPlan& faults) {
  fakezk::ExecutionLimits limits;
  limits.faults = faults;
  return limits;
}

fakezk::Failure explain(const Search& what, const fakezk::Found& found) {
  const std::unique_ptr<fakezk::Program> program = what.scenario->make(what.size);
  return fakezk::explain(*program, limits_of(what.faults), found, what.scenario->name,
                         what.size.clients, what.size.rounds);
}

Searched search(const Search& what, bool show_progress) {
  const auto start = std::chrono::steady_clock::now();
  const auto gone = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  Progress progress(show_progress, what.executions, what.seconds);
  fakezk::HuntOptions options;
  options.limits = limits_of(what.faults);
  options.seed = what.seed;
  options.first = what.first;
  options.executions = what.executions;
  options.jobs = what.jobs;
  options.make_program = [&] { return what.scenario->make(what.size); };
  options.make_strategy = what.strategy->make;
  options.keep_going = [&](std::uint64_t done) {
    progress.update(done);
    // A hunt that has done everything was not stopped by the time.
    return done >= what.executions || gone() < what.seconds;
  };
  JobThreads threads(what.jobs);
  Searched searched;
  searched.result = hunt(options, threads);
  searched.seconds = gone();
  return searched;
}

}  // namespace lockstep::program
