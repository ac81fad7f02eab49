#pragma once

#include <cstdint>

namespace lockstep::run {

// Each copy of a program has its own exit handlers: those registered with atexit() and on_exit(),
// and the destructors of its static objects, which its exit() runs; and those registered with
// at_quick_exit(), which its quick_exit() runs.

// Forgets the handlers of all copies, when an execution begins.
void forget_exit_functions();
// Forgets a process's handlers after its crash.
void forget_exit_functions(std::uint32_t process);
// These run a process's handlers, the last one first, on its running thread.
void run_exit_functions(std::uint32_t process, int status);
void run_quick_exit_functions(std::uint32_t process);

}  // namespace lockstep::run
