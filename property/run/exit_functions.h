#pragma once

#include <cstdint>

namespace lockstep::run {

// Each copy of a program has handlers of its own: those that it registers with atexit() and
// on_exit(), and the destructors of its static objects. Its exit() runs them.

// Forgets all of them: an execution begins.
void forget_exit_functions();
// Forgets those of a process: it has crashed.
void forget_exit_functions(std::uint32_t process);
// Runs those of a process, the last one first, on its running thread.
void run_exit_functions(std::uint32_t process, int status);

}  // namespace lockstep::run
