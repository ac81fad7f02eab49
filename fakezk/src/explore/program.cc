#include "lockstep/fakezk/explore/program.h"

#include <algorithm>

#include "lockstep/internal/check.h"

namespace lockstep::fakezk {

namespace {

std::size_t rank(std::string_view oracle) {
  const auto found = std::ranges::find(kOracleOrder, oracle);
  return static_cast<std::size_t>(found - kOracleOrder.begin());
}

// what() is the code under test's, and may be anything.
std::string escaped(const std::exception& thrown) {
  const char* const what = thrown.what();
  return std::string("an exception escaped: ") + (what ? what : "its what() is a null pointer");
}

}  // namespace

void report_exceptions(World& world, Verdict& verdict) {
  try {
    std::rethrow_exception(world.take_exception());
  } catch (const std::exception& thrown) {
    verdict.report("crash", escaped(thrown), world.steps());
  } catch (...) {
    verdict.report("crash", "something that is no std::exception escaped", world.steps());
  }
}

void Verdict::report(std::string_view oracle, std::string message, std::uint32_t step) {
  if (violation_ && violation_->step <= step && rank(violation_->oracle) <= rank(oracle)) return;
  if (violation_ && violation_->step < step) return;
  violation_ = Violation{std::string(oracle), std::move(message), step};
}

namespace {

// Until nothing can happen any more, or a guarantee is broken.
void run(World& world, Program& program, Chooser& chooser, const ExecutionLimits& limits,
         Verdict& verdict) {
  const bool judges = program.judges_each_step();
  Calm calm;
  Chooser* choosing = &chooser;
  const History& history = world.server().history();
  for (std::size_t judged = 0;;) {
    if (judged != history.size()) {
      judged = history.size();
      program.committed();
    }
    if (judges) program.after_step(world, verdict);
    if (world.task_failed()) report_exceptions(world, verdict);
    if (world.steps() > limits.steps) {
      verdict.report(
          "livelock",
          "no end after " + std::to_string(limits.steps) +
              " steps, although in the second half nothing fails and everybody is served",
          world.steps());
    }
    if (verdict.violation()) return;
    if (choosing != &calm && world.steps() >= limits.steps / 2) {
      choosing = &calm;
      world.heal();
    }
    if (!world.step(*choosing)) return program.finish(world);
  }
}

}  // namespace

Outcome execute(World& world, Program& program, Chooser& chooser, const ExecutionLimits& limits,
                Tracer* tracer) {
  internal::check(world.server().options() == program.servers(),
                  "execute() in a world with other servers than the program's");
  Verdict verdict;
  program.reset(world);
  world.set_names(&program);
  // Tasks keep their exceptions; these come from what the program does outside of them.
  try {
    program.start(world, verdict);
    world.set_faults(limits.faults);
    world.set_restarter(program.restarter());
    world.set_tracer(tracer);
    run(world, program, chooser, limits, verdict);
  } catch (const std::exception& thrown) {
    verdict.report("crash", escaped(thrown), world.steps());
  } catch (...) {
    verdict.report("crash", "something that is no std::exception escaped", world.steps());
  }
  Outcome outcome;
  world.set_tracer(nullptr);
  outcome.violation = verdict.violation();
  for (const char byte : outcome.violation ? outcome.violation->oracle : std::string()) {
    world.hash_in(static_cast<unsigned char>(byte));
  }
  outcome.trace_hash = world.trace_hash();
  outcome.steps = world.steps();
  outcome.positions = world.positions();
  world.end();
  program.clear();
  return outcome;
}

}  // namespace lockstep::fakezk
