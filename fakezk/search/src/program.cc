#include "lockstep/search/program.h"

#include <utility>

#include "execution.h"
#include "lockstep/internal/check.h"

namespace lockstep::search {

namespace {

std::size_t rank(std::string_view oracle) {
  const std::optional<Oracle> known = oracle_called(oracle);
  return known ? static_cast<std::size_t>(*known) : oracles().size();
}

}  // namespace

void Verdict::report(std::string_view oracle, std::string message, std::uint32_t step) {
  if (over_ && !oracle.starts_with("user:")) return;
  if (violation_ && violation_->step <= step && rank(violation_->oracle) <= rank(oracle)) return;
  if (violation_ && violation_->step < step) return;
  violation_ = Violation{std::string(oracle), std::move(message), step};
  broken_ = true;
}

Outcome execute(fakezk::World& world, Program& program, fakezk::Chooser& chooser,
                const ExecutionLimits& limits, fakezk::Tracer* tracer) {
  internal::check(world.server().options() == program.servers(),
                  "execute() in a world with other servers than the program's");
  Execution execution(world, program, limits);
  execution.run(chooser, tracer);
  Outcome outcome;
  outcome.steps = world.steps();
  outcome.positions = world.positions();
  execution.clear_away();
  outcome.violation = execution.verdict().violation();
  for (const char byte : outcome.violation ? outcome.violation->oracle : std::string()) {
    world.hash_in(static_cast<unsigned char>(byte));
  }
  outcome.trace_hash = world.trace_hash();
  outcome.judged = program.judgements();
  return outcome;
}

}  // namespace lockstep::search
