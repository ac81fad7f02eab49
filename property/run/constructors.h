#pragma once

namespace lockstep::run {

// Runs the constructors of the program itself, as its start does before main(); those of its
// libraries have run when they were loaded. `init` is what the program has passed to
// __libc_start_main: null since glibc 2.34, which finds them by itself.
using Init = void (*)(int, char**, char**);
void run_constructors(Init init, int argc, char** argv, char** variables);

}  // namespace lockstep::run
