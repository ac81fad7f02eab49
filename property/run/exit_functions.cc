#include "exit_functions.h"

#include <dlfcn.h>

#include <functional>
#include <utility>
#include <vector>

#include "lockstep/intercept/execution.h"
#include "lockstep/threads/hunted_process.h"

namespace lockstep::run {

namespace {

using ExitFunction = std::function<void(int status)>;

std::vector<std::vector<ExitFunction>>& by_process() {
  static std::vector<std::vector<ExitFunction>> functions;
  return functions;
}

// Returns false if code that is not hunted registers the function.
bool keep(ExitFunction function) {
  intercept::Execution* const execution = intercept::Execution::of_caller();
  if (!execution) return false;
  const intercept::Execution::Inside inside;
  const std::uint32_t process = threads::HuntedProcess::process_of(*execution->running()).index();
  auto& all = by_process();
  if (all.size() <= process) all.resize(process + 1);
  all[process].push_back(std::move(function));
  return true;
}

}  // namespace

void forget_exit_functions() { by_process().clear(); }

void forget_exit_functions(std::uint32_t process) {
  if (process < by_process().size()) by_process()[process].clear();
}

void run_exit_functions(std::uint32_t process, int status) {
  for (;;) {
    auto& all = by_process();
    if (process >= all.size() || all[process].empty()) return;
    const ExitFunction last = std::move(all[process].back());
    all[process].pop_back();
    intercept::Execution::resume_code();
    last(status);
    intercept::Execution::enter_runtime();
  }
}

}  // namespace lockstep::run

// Each program contains atexit(), which calls __cxa_atexit().
extern "C" {

__attribute__((visibility("default"))) int __cxa_atexit(void (*function)(void*), void* argument,
                                                        void* module) {
  if (lockstep::run::keep([=](int) { function(argument); })) return 0;
  using Register = int (*)(void (*)(void*), void*, void*);
  static const auto real = reinterpret_cast<Register>(::dlsym(RTLD_NEXT, "__cxa_atexit"));
  return real(function, argument, module);
}

__attribute__((visibility("default"))) int on_exit(void (*function)(int, void*), void* argument) {
  if (lockstep::run::keep([=](int status) { function(status, argument); })) return 0;
  using Register = int (*)(void (*)(int, void*), void*);
  static const auto real = reinterpret_cast<Register>(::dlsym(RTLD_NEXT, "on_exit"));
  return real(function, argument);
}

}  // extern "C"
