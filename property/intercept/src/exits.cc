#include <stdlib.h>
#include <unistd.h>

#include "calls.h"
#include "handled.h"
#include "real.h"

// These functions end the thread's simulated process; the real process if the host simulates none.

using namespace lockstep::intercept;

extern "C" {

void exit(int status) noexcept {
  if (Execution* const execution = Execution::of_caller()) execution->end_process("exit", status);
  LOCKSTEP_REAL(exit)(status);
  __builtin_unreachable();
}

void _exit(int status) {
  if (Execution* const execution = Execution::of_caller()) execution->end_process("_exit", status);
  LOCKSTEP_REAL(_exit)(status);
  __builtin_unreachable();
}

void _Exit(int status) noexcept {
  if (Execution* const execution = Execution::of_caller()) execution->end_process("_Exit", status);
  LOCKSTEP_REAL(_Exit)(status);
  __builtin_unreachable();
}

void quick_exit(int status) noexcept {
  if (Execution* const execution = Execution::of_caller()) {
    execution->end_process("quick_exit", status);
  }
  LOCKSTEP_REAL(quick_exit)(status);
  __builtin_unreachable();
}

}  // extern "C"

LOCKSTEP_LINKED(exits)
