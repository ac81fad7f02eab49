#include "lockstep/search/report.h"

#include "lockstep/search/chronicler.h"

namespace lockstep::search {

namespace {

class ChronicleAndChecks final : public fakezk::Tracer {
 public:
  explicit ChronicleAndChecks(const fakezk::World& world) : chronicler(world), checks(world) {}
  void step(const fakezk::Step& step) override {
    chronicler.step(step);
    checks.step(step);
  }
  void note(std::uint32_t process, std::string_view text) override {
    chronicler.note(process, text);
  }
  void user_note(std::uint32_t process, std::uint32_t user, std::string_view text) override {
    chronicler.user_note(process, user, text);
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

// The violation to report for the execution that is shown.
Violation violation_of(const Found& found, const Recording& recording) {
  const Violation& first = *found.outcome.violation;
  if (found.nondeterministic) return first;
  if (recording.outcome.violation) return *recording.outcome.violation;
  return {std::string(name(Oracle::kMisuse)),
          "the program is not deterministic: this schedule has broken " + first.oracle + " (" +
              ShortNames(recording.chronicle)(first.message) +
              "), and breaks nothing when it is run again. Does it use a clock, an address, a file "
              "or uninitialised memory as an input?",
          recording.outcome.steps};
}

}  // namespace

Recording record(Program& program, const ExecutionLimits& limits,
                 const std::vector<fakezk::Deviation>& deviations, const ReplayString* recorded) {
  fakezk::World world(program.servers());
  ChronicleAndChecks tracer(world);
  Replay replay(deviations);
  if (recorded) replay.follow_only(*recorded, tracer.checks);
  Recording recording;
  recording.outcome = execute(world, program, replay, limits, &tracer);
  recording.chronicle = tracer.chronicler.chronicle(program);
  if (recording.outcome.violation) {
    Violation& violation = *recording.outcome.violation;
    violation.message = ShortNames(recording.chronicle)(violation.message);
  }
  recording.chronicle.violation = recording.outcome.violation;
  recording.lanes = draw_lanes(recording.chronicle);
  recording.checks = tracer.checks.checks();
  return recording;
}

void Failure::show(Chronicle of_execution) {
  chronicle = std::move(of_execution);
  chronicle.violation = violation;
  lanes = draw_lanes(chronicle);
}

Failure explain(const Scene& scene, const ExecutionLimits& limits, const Found& found) {
  ShrunkScene shrunk{scene.clients, scene.rounds, limits, {found.deviations, found.outcome, 0}};
  if (!found.nondeterministic) {
    shrunk = shrink_scene(scene, limits, found.outcome.violation->oracle, found.deviations);
  }
  const std::unique_ptr<Program> program = scene.make(shrunk.clients, shrunk.rounds);
  Recording recording = record(*program, shrunk.limits, shrunk.schedule.deviations);
  ReplayString replay;
  replay.scenario = scene.name;
  replay.clients = shrunk.clients;
  replay.rounds = shrunk.rounds;
  replay.faults = shrunk.limits.faults;
  replay.deviations = shrunk.schedule.deviations;
  replay.trace_hash = recording.outcome.trace_hash;
  replay.keep(std::move(recording.checks));

  Failure failure;
  failure.violation = violation_of(found, recording);
  failure.clients = shrunk.clients;
  failure.rounds = shrunk.rounds;
  failure.faults = shrunk.limits.faults;
  failure.steps = recording.outcome.steps;
  failure.deviations = shrunk.schedule.deviations.size();
  failure.original_deviations = found.deviations.size();
  failure.original_steps = found.outcome.steps;
  failure.show(std::move(recording.chronicle));
  failure.replay = replay.text();
  return failure;
}

}  // namespace lockstep::search
