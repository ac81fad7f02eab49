#include "lockstep/fakezk/explore/report.h"

#include "lockstep/fakezk/explore/chronicler.h"

namespace lockstep::fakezk {

namespace {

class ChronicleAndChecks final : public Tracer {
 public:
  explicit ChronicleAndChecks(const World& world) : chronicler(world), checks(world) {}
  void step(const Step& step) override {
    chronicler.step(step);
    checks.step(step);
  }
  void note(std::uint32_t process, std::string_view text) override {
    chronicler.note(process, text);
  }
  void grant_begins(std::uint32_t process, const Path& znode) override {
    chronicler.grant_begins(process, znode);
  }
  void grant_ends(std::uint32_t process, const Path& znode) override {
    chronicler.grant_ends(process, znode);
  }
  void settled() override { chronicler.settled(); }

  Chronicler chronicler;
  StepChecks checks;
};

}  // namespace

Recording record(Program& program, const ExecutionLimits& limits,
                 const std::vector<Deviation>& deviations) {
  World world(program.servers());
  ChronicleAndChecks tracer(world);
  Replay replay(deviations);
  Recording recording;
  recording.outcome = execute(world, program, replay, limits, &tracer);
  if (recording.outcome.violation) {
    Violation& violation = *recording.outcome.violation;
    violation.message = without_guids(violation.message);
  }
  recording.chronicle = tracer.chronicler.chronicle(program);
  recording.chronicle.violation = recording.outcome.violation;
  recording.lanes = draw_lanes(recording.chronicle);
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
  failure.chronicle = std::move(recording.chronicle);
  failure.replay = replay.text();
  return failure;
}

}  // namespace lockstep::fakezk
