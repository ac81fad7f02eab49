#include "exit_functions.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "lockstep/intercept/execution.h"
#include "lockstep/threads/world_host.h"

namespace lockstep::run {

namespace {

struct ExitFunction {
  std::function<void(int status)> run;
  const void* module;  // The library that has registered it; null for none in particular.
};

struct ExitFunctions {
  std::vector<ExitFunction> at_exit;
  std::vector<ExitFunction> at_quick_exit;
};

std::vector<ExitFunctions>& by_process() {
  static std::vector<ExitFunctions> functions;
  return functions;
}

using Kind = std::vector<ExitFunction> ExitFunctions::*;

// Returns false if the function is one of the real process: code that is not hunted registers it,
// or a library whose variables the copies share.
bool keep(Kind kind, ExitFunction function) {
  intercept::Execution* const execution = intercept::Execution::of_caller();
  if (!execution) return false;
  const intercept::Execution::InRuntime inside;
  // The first copy that exits would destroy what all of them use.
  if (intercept::Execution::is_shared(function.module)) return false;
  const std::uint32_t process = threads::WorldHost::process_of(*execution->running()).index();
  auto& all = by_process();
  if (all.size() <= process) all.resize(process + 1);
  (all[process].*kind).push_back(std::move(function));
  return true;
}

void run_as_code(const ExitFunction& function, int status) {
  intercept::Execution::resume_code();
  function.run(status);
  intercept::Execution::enter_runtime();
}

// Each function may register others.
void run_all(std::uint32_t process, Kind kind, int status) {
  while (process < by_process().size()) {
    std::vector<ExitFunction>& left = by_process()[process].*kind;
    if (left.empty()) return;
    const ExitFunction last = std::move(left.back());
    left.pop_back();
    run_as_code(last, status);
  }
}

// A library goes away: the handlers that it has registered run now. The copies share such a library
// (docs/threaded-code.md), so they are those of all copies.
void run_functions_of(const void* module) {
  for (std::size_t process = 0; process < by_process().size(); ++process) {
    for (;;) {
      std::vector<ExitFunction>& left = by_process()[process].at_exit;
      const auto last =
          std::ranges::find(left.rbegin(), left.rend(), module, &ExitFunction::module);
      if (last == left.rend()) break;
      const ExitFunction function = std::move(*last);
      left.erase(std::next(last).base());
      run_as_code(function, 0);
    }
  }
}

}  // namespace

void forget_exit_functions() { by_process().clear(); }

void forget_exit_functions(std::uint32_t process) {
  if (process < by_process().size()) by_process()[process] = {};
}

void run_exit_functions(std::uint32_t process, int status) {
  run_all(process, &ExitFunctions::at_exit, status);
}

void run_quick_exit_functions(std::uint32_t process) {
  run_all(process, &ExitFunctions::at_quick_exit, 0);
}

}  // namespace lockstep::run

using lockstep::run::ExitFunctions;

// Each program contains atexit() and at_quick_exit(), which call the first two.
extern "C" {

__attribute__((visibility("default"))) int __cxa_atexit(void (*function)(void*), void* argument,
                                                        void* module) {
  const auto run = [=](int) { function(argument); };
  if (lockstep::run::keep(&ExitFunctions::at_exit, {run, module})) return 0;
  using Register = int (*)(void (*)(void*), void*, void*);
  static const auto real = reinterpret_cast<Register>(::dlsym(RTLD_NEXT, "__cxa_atexit"));
  return real(function, argument, module);
}

__attribute__((visibility("default"))) int __cxa_at_quick_exit(void (*function)(void*),
                                                               void* module) {
  const auto run = [=](int) { function(nullptr); };
  if (lockstep::run::keep(&ExitFunctions::at_quick_exit, {run, module})) return 0;
  using Register = int (*)(void (*)(void*), void*);
  static const auto real = reinterpret_cast<Register>(::dlsym(RTLD_NEXT, "__cxa_at_quick_exit"));
  return real(function, module);
}

__attribute__((visibility("default"))) int on_exit(void (*func)(int, void*), void* arg) {
  const auto run = [=](int status) { func(status, arg); };
  if (lockstep::run::keep(&ExitFunctions::at_exit, {run, nullptr})) return 0;
  using Register = int (*)(void (*)(int, void*), void*);
  static const auto real = reinterpret_cast<Register>(::dlsym(RTLD_NEXT, "on_exit"));
  return real(func, arg);
}

// A library calls this when dlclose() unloads it.
__attribute__((visibility("default"))) void __cxa_finalize(void* module) {
  if (module && lockstep::intercept::Execution::of_caller()) {
    const lockstep::intercept::Execution::InRuntime inside;
    lockstep::run::run_functions_of(module);
  }
  using Finalize = void (*)(void*);
  static const auto real = reinterpret_cast<Finalize>(::dlsym(RTLD_NEXT, "__cxa_finalize"));
  real(module);
}

}  // extern "C"
