// Replaces a program's start: hunts its main(), as the environment says.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "process_program.h"
#include "program/run.h"
#include "program/usage_error.h"

namespace lockstep::run {

namespace {

using Main = int (*)(int, char**, char**);

Main main_of_program = nullptr;
Init init_of_program = nullptr;

program::RunTarget target_of(int argc, char** argv, char** variables) {
  Target target;
  target.init = init_of_program;
  target.main = main_of_program;
  target.arguments.assign(argv, argv + argc);
  target.variables = variables;
  return [target](const program::TargetSettings& settings) {
    try {
      return std::make_unique<ProcessProgram>(target, settings);
      // The program calls a function that cannot be intercepted.
    } catch (const std::logic_error& cannot) {
      throw program::UsageError(std::string("run: ") + cannot.what());
    }
  };
}

// Removes the variable: processes that the program tries to start are not hunted.
std::string take_from_environment(const char* name) {
  const char* const value = std::getenv(name);
  std::string text = value ? value : "";
  ::unsetenv(name);
  return text;
}

// Runs instead of main(). In its executions the program reads nothing, and its output is discarded.
int hunt_main(int argc, char** argv, char** variables) {
  const std::string words = take_from_environment(program::kRunWords);
  ::unsetenv("LD_PRELOAD");
  ::unsetenv("LD_BIND_NOW");
  if (words.empty()) return main_of_program(argc, argv, variables);
  const int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (input == -1) {
    std::perror("lockstep: /dev/null");
    ::_exit(2);
  }
  ::dup2(input, STDIN_FILENO);
  const int status = program::run_target(words, target_of(argc, argv, variables));
  std::cout.flush();
  std::cerr.flush();
  ::_exit(status);  // Skips the program's exit handlers.
}

}  // namespace

}  // namespace lockstep::run

// A program's start calls this when its libraries are ready. libc's own function runs the program's
// constructors, which do not matter here, and calls main().
extern "C" __attribute__((visibility("default"))) int __libc_start_main(
    int (*main)(int, char**, char**), int argc, char** argv, void (*init)(), void (*fini)(),
    void (*loader_fini)(), void* stack_end) {
  using Start =
      int (*)(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*);
  const auto start = reinterpret_cast<Start>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  lockstep::run::main_of_program = main;
  lockstep::run::init_of_program = reinterpret_cast<lockstep::run::Init>(init);
  lockstep::threads::ThreadsProgram::remember_library();
  lockstep::intercept::Execution::remember_start();
  return start(&lockstep::run::hunt_main, argc, argv, init, fini, loader_fini, stack_end);
}
