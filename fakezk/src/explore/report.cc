#include "lockstep/fakezk/explore/report.h"

namespace lockstep::fakezk {

namespace {

class LanesAndChecks final : public Tracer {
 public:
  explicit LanesAndChecks(const World& world) : lanes(world), checks(world) {}
  void step(const Step& step) override {
    lanes.step(step);
    checks.step(step);
  }
  void note(std::uint32_t process, std::string_view text) override { lanes.note(process, text); }

  Lanes lanes;
  StepChecks checks;
};

}  // namespace

Recording record(Program& program, const ExecutionLimits& limits,
                 const std::vector<Deviation>& deviations) {
  World world(program.servers());
  LanesAndChecks tracer(world);
  Replay replay(deviations);
  Recording recording;
  recording.outcome = execute(world, program, replay, limits, &tracer);
  recording.lanes = tracer.lanes.render(program);
  recording.checks = tracer.checks.checks();
  return recording;
}

Failure explain(Program& program, const ExecutionLimits& limits, const Found& found,
                std::string_view name, std::uint32_t clients, std::uint32_t rounds) {
  const Shrunk shrunk = shrink(program, limits, found.outcome.violation->oracle, found.deviations);
  Recording recording = record(program, limits, shrunk.deviations);
  ReplayString replay;
  replay.scenario = name;
  replay.clients = clients;
  replay.rounds = rounds;
  replay.faults = limits.faults;
  replay.deviations = shrunk.deviations;
  replay.trace_hash = recording.outcome.trace_hash;
  replay.checks = std::move(recording.checks);

  Failure failure;
  failure.violation = *recording.outcome.violation;
  failure.steps = recording.outcome.steps;
  failure.deviations = shrunk.deviations.size();
  failure.original_deviations = found.deviations.size();
  failure.lanes = std::move(recording.lanes);
  failure.replay = replay.text();
  return failure;
}

}  // namespace lockstep::fakezk
