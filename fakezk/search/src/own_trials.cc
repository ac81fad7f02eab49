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

Trial try_detours(fakezk::World& world, Program& program, const ExecutionLimits& limits,
                  const std::vector<fakezk::Deviation>& deviations,
                  const std::vector<Detour>& detours) {
  DetourReplay replay(deviations, detours);
  Outcome outcome = execute(world, program, replay, limits);
  return {std::move(outcome), world.deviations(), replay.noted()};
}

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
  Outcome outcome = execute(*world_, *program_, replay, limits);
  return {std::move(outcome), world_->deviations()};
}

Trial OwnTrials::run_detours(std::uint32_t clients, std::uint32_t rounds,
                             const ExecutionLimits& limits,
                             const std::vector<fakezk::Deviation>& deviations,
                             const std::vector<Detour>& detours) {
  use(clients, rounds);
  return try_detours(*world_, *program_, limits, deviations, detours);
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
