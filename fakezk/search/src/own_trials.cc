#include "own_trials.h"

#include <string_view>
#include <utility>

#include "lockstep/search/hunt.h"
#include "lockstep/search/strategy.h"

namespace lockstep::search {

namespace {

// Collects the faults of an execution in order.
class FaultRecorder final : public fakezk::Tracer {
 public:
  void step(const fakezk::Step& step) override {
    if (step.event.kind == fakezk::Event::Kind::kFault) faults.push_back(step.event);
  }
  void note(std::uint32_t, std::string_view) override {}
  std::vector<fakezk::Event> faults;
};

}  // namespace

void OwnTrials::use(std::uint32_t clients, std::uint32_t rounds) {
  if (program_ && clients == clients_ && rounds == rounds_) return;
  world_.reset();
  program_ = make_(clients, rounds);
  world_ = std::make_unique<fakezk::World>(program_->servers());
  clients_ = clients;
  rounds_ = rounds;
}

Trial OwnTrials::run(std::uint32_t clients, std::uint32_t rounds, const ExecutionLimits& limits,
                     const std::vector<fakezk::Deviation>& deviations) {
  use(clients, rounds);
  Replay replay(deviations);
  return try_schedule(*world_, *program_, replay, limits);
}

Trial OwnTrials::run_named(std::uint32_t clients, std::uint32_t rounds,
                           const ExecutionLimits& limits, const NamedSchedule& named) {
  use(clients, rounds);
  NamedReplay replay(*world_, named);
  return try_schedule(*world_, *program_, replay, limits);
}

Trial try_schedule(fakezk::World& world, Program& program, fakezk::Chooser& schedule,
                   const ExecutionLimits& limits) {
  NamingChooser naming(world, schedule);
  Outcome outcome = execute(world, program, naming, limits);
  return {std::move(outcome), world.deviations(), std::move(naming.named())};
}

Caught OwnTrials::hunt(std::uint32_t clients, std::uint32_t rounds, const ExecutionLimits& limits,
                       const ShortHunt& what) {
  Caught caught;
  Searcher searcher(make_(clients, rounds), make_portfolio(), limits, what.seed);
  while (caught.executions < what.executions && caught.steps < what.steps) {
    Outcome outcome = searcher.run(what.first + caught.executions);
    ++caught.executions;
    caught.steps += outcome.steps;
    if (!outcome.violation || outcome.violation->oracle != what.oracle) continue;
    caught.trial = Trial{std::move(outcome), searcher.deviations()};
    break;
  }
  return caught;
}

std::vector<fakezk::Event> OwnTrials::faults(std::uint32_t clients, std::uint32_t rounds,
                                             const ExecutionLimits& limits,
                                             const std::vector<fakezk::Deviation>& deviations) {
  use(clients, rounds);
  FaultRecorder struck;
  Replay replay(deviations);
  execute(*world_, *program_, replay, limits, &struck);
  return std::move(struck.faults);
}

}  // namespace lockstep::search
