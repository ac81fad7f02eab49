#include <stdio.h>

#include "calls.h"
#include "handled.h"
#include "real.h"

// The lock of a stream of libc. Its state is libc's, whose own functions take it too, but do not
// wait in the execution.

using namespace lockstep::intercept;

extern "C" {

void flockfile(FILE* stream) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(flockfile)(stream));
  execution->point("flockfile");
  while (LOCKSTEP_REAL(ftrylockfile)(stream) != 0) execution->wait("flockfile", stream);
  happens_after(stream);
}

void funlockfile(FILE* stream) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(funlockfile)(stream));
  happens_before(stream);
  LOCKSTEP_REAL(funlockfile)(stream);
  execution->wake_all(stream);
}

}  // extern "C"

LOCKSTEP_LINKED(stream_locks)
