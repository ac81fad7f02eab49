#include <errno.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"
#include "handled.h"
#include "real.h"

// A sleep ends at its time, never early: no signal interrupts it.

namespace lockstep::intercept {

namespace {

int error_of_sleeping_on(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_MONOTONIC:
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_BOOTTIME:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_BOOTTIME_ALARM:
    case CLOCK_TAI: return 0;
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_MONOTONIC_COARSE: return ENOTSUP;
    default: return clock < 0 ? 0 : EINVAL;  // Below 0: processor time, of pthread_getcpuclockid().
  }
}

void sleep_until(Execution& execution, std::string_view call, std::chrono::nanoseconds until) {
  execution.point(call);
  while (execution.host().now() < until) execution.wait(call, nullptr, until);
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int nanosleep(const timespec* time, timespec* rest) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(nanosleep)(time, rest));
  if (!is_valid_for_linux(*time)) return errno = EINVAL, -1;
  sleep_until(*execution, "nanosleep", execution->host().now() + from_timespec(*time));
  return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* rest) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(clock_nanosleep)(clock, flags, time, rest));
  if (const int error = error_of_sleeping_on(clock)) return error;
  if (!is_valid_for_linux(*time)) return EINVAL;
  const auto until = (flags & TIMER_ABSTIME) != 0 ? due(clock, *time)
                                                  : execution->host().now() + from_timespec(*time);
  sleep_until(*execution, "clock_nanosleep", until);
  return 0;
}

unsigned sleep(unsigned seconds) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(sleep)(seconds));
  sleep_until(*execution, "sleep", execution->host().now() + std::chrono::seconds(seconds));
  return 0;
}

int usleep(useconds_t microseconds) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(usleep)(microseconds));
  sleep_until(*execution, "usleep",
              execution->host().now() + std::chrono::microseconds(microseconds));
  return 0;
}

int sched_yield() noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(sched_yield)());
  execution->give_way("sched_yield");
  return 0;
}

}  // extern "C"

LOCKSTEP_LINKED(sleeps)
