#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "calls.h"
#include "handled.h"
#include "process_ids.h"
#include "real.h"

// Groups, sessions and priorities of processes. An ID of an execution may belong to a foreign
// process of the system, so none gets there. All processes are in the group and session of their
// parent, and a priority has no effect.

namespace lockstep::intercept {

namespace {

// Whether the ID is 0, for the caller, or that of a process or thread of the execution. Returns
// false with errno ESRCH if not.
bool is_known(Execution& execution, pid_t id) {
  const bool known = id == 0 || std::ranges::any_of(execution.threads(), [&](const auto& thread) {
                       return !thread->ended() && thread_id(*thread) == id;
                     });
  if (!known) errno = ESRCH;
  return known;
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

pid_t getpgid(pid_t process) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(getpgid)(process));
  return is_known(*execution, process) ? kParentProcessId : -1;
}

pid_t getpgrp() noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(getpgrp)());
  return kParentProcessId;
}

pid_t getsid(pid_t process) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(getsid)(process));
  return is_known(*execution, process) ? kParentProcessId : -1;
}

int getpriority(__priority_which_t which, id_t who) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(getpriority)(which, who));
  if (which == PRIO_PROCESS && !is_known(*execution, static_cast<pid_t>(who))) return -1;
  return 0;
}

int setpriority(__priority_which_t which, id_t who, int priority) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(setpriority)(which, who, priority));
  if (which == PRIO_PROCESS && !is_known(*execution, static_cast<pid_t>(who))) return -1;
  return 0;
}

}  // extern "C"

LOCKSTEP_LINKED(process_groups)
