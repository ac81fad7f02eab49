#include "lockstep/search/program.h"

#include <algorithm>
#include <utility>

#include "execution.h"
#include "lockstep/fakezk/endless.h"
#include "lockstep/internal/check.h"

namespace lockstep::search {

namespace {

std::size_t rank(std::string_view oracle) {
  const auto found = std::ranges::find(kOracleOrder, oracle);
  return static_cast<std::size_t>(found - kOracleOrder.begin());
}

// what() belongs to the code under test, and may return anything.
std::string escaped(const std::exception& thrown) {
  const char* const what = thrown.what();
  return std::string("an exception escaped: ") + (what ? what : "its what() is a null pointer");
}

}  // namespace

void report_thrown(std::exception_ptr thrown, const fakezk::World& world, Verdict& verdict) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const fakezk::Endless& endless) {
    verdict.report("livelock", endless.what(), world.steps());
  } catch (const std::exception& exception) {
    verdict.report("crash", escaped(exception), world.steps());
  } catch (...) {
    verdict.report("crash", "something that is no std::exception escaped", world.steps());
  }
}

void report_exceptions(fakezk::World& world, Verdict& verdict) {
  report_thrown(world.take_exception(), world, verdict);
}

void Verdict::report(std::string_view oracle, std::string message, std::uint32_t step) {
  if (over_ && !oracle.starts_with("user:")) return;
  if (violation_ && violation_->step <= step && rank(violation_->oracle) <= rank(oracle)) return;
  if (violation_ && violation_->step < step) return;
  violation_ = Violation{std::string(oracle), std::move(message), step};
  broken_ = true;
}

void Execution::start(fakezk::Tracer* tracer) {
  world_.set_most_work(limits_.work);
  program_.start(world_, verdict_);
  world_.set_faults(limits_.faults);
  world_.set_restarter(program_.restarter());
  world_.set_tracer(tracer);
}

void Execution::clear_away() {
  verdict_.execution_is_over();
  world_.end();
  program_.clear();
}

void Execution::judge() {
  if (fakezk::FootprintRecorder* const recorder = world_.recorder()) recorder->touches_everything();
  program_.after_step(world_, verdict_);
}

// Repairs all faults. From the middle on, an execution only has to end in time.
void Execution::mend() {
  if (world_.steps() > limits_.steps) {
    verdict_.report("livelock",
                    "no end after " + std::to_string(limits_.steps) +
                        " steps, although in the second half nothing fails and everybody is served",
                    world_.steps());
  }
  if (healed_ || verdict_.violation()) return;
  healed_ = true;
  world_.heal();
}

Outcome execute(fakezk::World& world, Program& program, fakezk::Chooser& chooser,
                const ExecutionLimits& limits, fakezk::Tracer* tracer) {
  internal::check(world.server().options() == program.servers(),
                  "execute() in a world with other servers than the program's");
  program.reset(world);
  world.set_names(&program);
  Execution execution(world, program, limits);
  // Tasks keep their exceptions; these come from code of the program outside of tasks.
  try {
    execution.start(tracer);
    while (execution.go_on(chooser)) {
    }
    if (execution.ended()) program.finish(world);
  } catch (...) {
    report_thrown(std::current_exception(), world, execution.verdict());
  }
  Outcome outcome;
  world.set_tracer(nullptr);
  outcome.steps = world.steps();
  outcome.positions = world.positions();
  execution.clear_away();
  outcome.violation = execution.verdict().violation();
  for (const char byte : outcome.violation ? outcome.violation->oracle : std::string()) {
    world.hash_in(static_cast<unsigned char>(byte));
  }
  outcome.trace_hash = world.trace_hash();
  return outcome;
}

}  // namespace lockstep::search
