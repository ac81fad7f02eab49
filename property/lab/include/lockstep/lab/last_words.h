#pragma once

#include <memory>
#include <string_view>

#include "lockstep/lab/scenario.h"
#include "lockstep/search/program.h"

namespace lockstep::lab {

// The same program, with last words: if the code under test ends the process while an execution is
// under way, the schedule up to there is printed on standard error, as a replay string that leads
// to the same end. hunt_lock, replay, replay_lock and run_schedule do this by themselves; this is
// for whoever runs programs otherwise. `scenario` is its name there, `faults` are those of its
// executions, and `replay_by` is what to write before the string to run it again.
//
// Ends that have last words: abort() and whatever calls it (an assert, a rule of this library,
// std::terminate, an exception out of a noexcept function, code that the watchdog ends); the
// signals SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGTRAP, also when a stack has overflowed; what a
// sanitizer finds; exit() and quick_exit(), after which the status is 1, whatever it was to be. A
// thread that the code under test has started is included, except for its exit() and quick_exit().
// Ends that have none: _Exit(), and SIGKILL. An exception that escapes from a task ends nothing: it
// is the violation "crash".
//
// For that, such a program has the handlers of these signals as long as it lives. Whatever handled
// them before does so again afterwards, and handles a signal that ends the process as soon as the
// last words are printed. Any number of programs, on any threads. A thread that has run one has an
// alternate signal stack (sigaltstack) from then on, if it had none.
[[nodiscard]] std::unique_ptr<search::Program> with_last_words(
    std::unique_ptr<search::Program> program, std::string_view scenario, ScenarioSize size,
    const fakezk::FaultPlan& faults, std::string_view replay_by = "LOCKSTEP_REPLAY=");

}  // namespace lockstep::lab
