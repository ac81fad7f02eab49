#include "execution.h"

#include <string>
#include <utility>

#include "lockstep/fakezk/endless.h"

namespace lockstep::search {

namespace {

// what() belongs to the code under test, and may return anything.
std::string escaped(const std::exception& thrown) {
  const char* const what = thrown.what();
  return std::string("an exception escaped: ") + (what ? what : "its what() is a null pointer");
}

// Reports an exception thrown by a program or a judge as a violation of the oracle "crash".
void report_thrown(std::exception_ptr thrown, const fakezk::World& world, Verdict& verdict) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const fakezk::Endless& endless) {
    verdict.report(Oracle::kLivelock, endless.what(), world.steps());
  } catch (const std::exception& exception) {
    verdict.report(Oracle::kCrash, escaped(exception), world.steps());
  } catch (...) {
    verdict.report(Oracle::kCrash, "an exception that is not a std::exception escaped",
                   world.steps());
  }
}

}  // namespace

void report_exceptions(fakezk::World& world, Verdict& verdict) {
  report_thrown(world.take_exception(), world, verdict);
}

// Tasks keep their exceptions; those caught here come from the program's code outside of tasks.
void Execution::run(fakezk::Chooser& chooser, fakezk::Tracer* tracer, ExecutionWatcher* watcher) {
  const std::uint32_t most_steps = watcher ? 1 : kAnyNumber;
  try {
    start(tracer);
    while (go_on(chooser, most_steps)) {
      if (watcher && !watcher->goes_on()) break;
    }
    const bool is_judged = !watcher || watcher->is_judged(*this);
    if (ended_ && is_judged) program_.finish(world_);
  } catch (...) {
    report_thrown(std::current_exception(), world_, verdict_);
  }
  world_.set_tracer(nullptr);
}

void Execution::start(fakezk::Tracer* tracer) {
  program_.reset(world_);
  world_.set_names(&program_);
  world_.set_most_work(limits_.work);
  if (ExecutionGuard* const guard = program_.guard()) guard->begin(world_);
  program_.start(world_, verdict_);
  world_.set_faults(limits_.faults);
  world_.set_restarter(program_.restarter());
  world_.set_tracer(tracer);
}

void Execution::saw(std::exception_ptr exception) noexcept {
  report_thrown(std::move(exception), world_, verdict_);
}

void Execution::clear_away() {
  if (std::exchange(cleared_, true)) return;
  verdict_.end_execution();
  world_.end();
  program_.clear();
  if (ExecutionGuard* const guard = program_.guard()) guard->end();
}

void Execution::judge() {
  if (fakezk::FootprintRecorder* const recorder = world_.recorder()) recorder->touches_everything();
  program_.after_step(world_, verdict_);
}

// Repairs all faults. In its second half, an execution only has to end in time.
void Execution::heal() {
  if (world_.steps() > most_steps_) {
    verdict_.report(Oracle::kLivelock,
                    "no end after " + std::to_string(most_steps_) +
                        " steps, although in the second half nothing fails and everybody is served",
                    world_.steps());
  }
  if (healed_ || verdict_.violation()) return;
  healed_ = true;
  world_.heal();
}

}  // namespace lockstep::search
