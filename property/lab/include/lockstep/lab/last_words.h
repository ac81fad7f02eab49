#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "lockstep/lab/scenario.h"
#include "lockstep/search/program.h"

namespace lockstep::lab {

// The same program, with last words: if the code under test ends the process during an execution,
// the schedule so far is printed on standard error, as a replay string that leads to the same end.
// hunt_lock, replay, replay_lock and run_schedule do this by themselves; other callers that run
// programs use this function. `scenario` is the program's name in the string, `faults` are those of
// its executions, and `replay_by` precedes the string, so that the line runs it again.
//
// Ends with last words: abort() and its callers (an assert, a rule of this library, std::terminate,
// an exception out of a noexcept function, the watchdog); the signals SIGSEGV, SIGBUS, SIGFPE,
// SIGILL and SIGTRAP, also on stack overflow; a sanitizer's finding; exit() and quick_exit(), whose
// status is replaced by 1. Threads that the code under test has started are included, except for
// their exit() and quick_exit(). Ends without last words: _Exit(), and SIGKILL. An exception that
// escapes from a task does not end the process: it is the violation "crash".
//
// Such a program installs handlers for these signals as long as it lives. The previous handlers are
// restored afterwards, and handle a fatal signal as soon as the last words are printed. Any number
// of programs, on any threads. A thread that has run one keeps an alternate signal stack
// (sigaltstack).
[[nodiscard]] std::unique_ptr<search::Program> with_last_words(
    std::unique_ptr<search::Program> program, std::string_view scenario, ScenarioSize size,
    const fakezk::FaultPlan& faults, std::string_view replay_by = "LOCKSTEP_REPLAY=");

// The thread_local memory that says which execution a thread runs: for code that exchanges
// thread_local variables, but has to leave these alone.
[[nodiscard]] std::array<std::span<const std::byte>, 2> last_words_memory() noexcept;

}  // namespace lockstep::lab
