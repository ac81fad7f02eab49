#include "process_ids.h"

#include <unistd.h>

#include "calls.h"
#include "handled.h"
#include "real.h"

// Code under test derives identities and seeds from these numbers, so processes must not share one.
// They follow the order in which threads were created, which is the same in each replay.

namespace lockstep::intercept {

pid_t thread_id(const Thread& thread) {
  return kParentProcessId + 1 + static_cast<pid_t>(thread.number());
}

pid_t process_id(Thread& thread) { return thread_id(thread.root()); }

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

pid_t getpid() noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(getpid)());
  return process_id(*execution->running());
}

pid_t getppid() noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(getppid)());
  return kParentProcessId;
}

pid_t gettid() noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(gettid)());
  return thread_id(*execution->running());
}

}  // extern "C"

LOCKSTEP_LINKED(process_ids)
