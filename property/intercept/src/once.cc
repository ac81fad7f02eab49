#include <pthread.h>

#include "caller.h"
#include "calls.h"
#include "handled.h"
#include "real.h"

// A pthread_once_t has glibc's values before and after its routine runs (0 and 2), so that it means
// the same inside and outside of an execution. While the routine runs, the bits in which glibc
// keeps the number of forks have that of the execution, for the same reason: a routine that was
// left in the middle runs again.

namespace lockstep::intercept {

namespace {

constexpr int kRunning = 1;
constexpr int kDone = 2;
constexpr int kStateBits = 3;

int running_in(const Execution& execution) {
  return static_cast<int>(execution.number()) << 2 | kRunning;
}

// Resets the control if the routine throws, so that the next caller runs the routine again.
class RunningRoutine {
 public:
  RunningRoutine(Execution& execution, pthread_once_t& once) : execution_(execution), once_(once) {
    once_ = running_in(execution);
  }
  RunningRoutine(const RunningRoutine&) = delete;
  RunningRoutine& operator=(const RunningRoutine&) = delete;
  ~RunningRoutine() {
    if ((once_ & kStateBits) == kRunning) once_ = 0;
    execution_.wake_all(&once_);
  }
  void done() { once_ = kDone; }

 private:
  Execution& execution_;
  pthread_once_t& once_;
};

// Runs the routine as code under test: its own calls are intercepted.
void run(void (*routine)()) {
  const Execution::InCode outside;
  routine();
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" int pthread_once(pthread_once_t* once, void (*routine)()) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_once)(once, routine));
  // While an exception passes, the unwinder calls this again for each frame that cleans up, and
  // their number depends on the compiler.
  if (is_unwinder_code(LOCKSTEP_CALLER)) return LOCKSTEP_REAL(pthread_once)(once, routine);
  execution->point("pthread_once", LOCKSTEP_CALLER);
  while (*once == running_in(*execution)) execution->wait("pthread_once", once);
  happens_after(once);
  if (*once == kDone) return 0;
  RunningRoutine routine_runs(*execution, *once);
  run(routine);
  happens_before(once);
  routine_runs.done();
  return 0;
}

LOCKSTEP_LINKED(once)
