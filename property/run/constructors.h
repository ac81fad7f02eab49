#pragma once

namespace lockstep::run {

// Runs the constructors of the program itself, as its start does before main(); those of its
// libraries have run when they were loaded. `init` is the program's argument to __libc_start_main.
// It is null since glibc 2.34, which finds the constructors by itself.
using Init = void (*)(int, char**, char**);
void run_constructors(Init init, int argc, char** argv, char** variables);

}  // namespace lockstep::run
