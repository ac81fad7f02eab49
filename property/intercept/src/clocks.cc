#include <errno.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>

#include "calls.h"
#include "handled.h"
#include "real.h"

// The clocks of an execution show the host's time, which only the host advances.

namespace lockstep::intercept {

using std::chrono::nanoseconds;
using std::chrono::seconds;

nanoseconds epoch_of(clockid_t clock) {
  constexpr seconds kRealTime{1'700'000'000};  // November 2023.
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI: return kRealTime;
    default: return seconds(0);
  }
}

timespec to_timespec(nanoseconds time) {
  const auto whole = std::chrono::duration_cast<seconds>(time);
  return {.tv_sec = whole.count(), .tv_nsec = (time - whole).count()};
}

nanoseconds from_timespec(const timespec& time) {
  // The limits avoid an overflow; a deadline that far away never comes, or has passed.
  constexpr seconds kLongest(4'000'000'000);
  if (time.tv_sec > kLongest.count()) return kLongest;
  if (time.tv_sec < -kLongest.count()) return -kLongest;
  return seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

nanoseconds due(clockid_t clock, const timespec& deadline) {
  return from_timespec(deadline) - epoch_of(clock);
}

bool is_valid(const timespec& time) { return time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000; }

bool is_waited_on(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC; }

bool is_valid_for_linux(const timespec& time) { return time.tv_sec >= 0 && is_valid(time); }

namespace {

nanoseconds now(Execution& execution, clockid_t clock) {
  return execution.host().now() + epoch_of(clock);
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

// <sys/timeb.h>, which declares ftime() as deprecated.
struct timeb {
  time_t time;
  unsigned short millitm;
  short timezone;
  short dstflag;
};

extern "C" {

int ftime(timeb* time);

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(clock_gettime)(clock, time));
  constexpr clockid_t kRemoved = 10;  // CLOCK_SGI_CYCLE
  if (clock > CLOCK_TAI || clock == kRemoved) return errno = EINVAL, -1;
  *time = to_timespec(now(*execution, clock));
  return 0;
}

int gettimeofday(timeval* time, void* zone) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(gettimeofday)(time, zone));
  const timespec shown = to_timespec(now(*execution, CLOCK_REALTIME));
  *time = {.tv_sec = shown.tv_sec, .tv_usec = shown.tv_nsec / 1000};
  return 0;
}

time_t time(time_t* into) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(time)(into));
  const time_t shown = to_timespec(now(*execution, CLOCK_REALTIME)).tv_sec;
  if (into) *into = shown;
  return shown;
}

// C11's clock. glibc's own definition asks the system where nothing can intercept it.
int timespec_get(timespec* time, int base) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(timespec_get)(time, base));
  if (base != TIME_UTC) return 0;
  *time = to_timespec(now(*execution, CLOCK_REALTIME));
  return base;
}

// glibc keeps ftime() for old programs only.
int ftime(timeb* time) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL_VERSION(ftime, "GLIBC_2.2.5")(time));
  const timespec shown = to_timespec(now(*execution, CLOCK_REALTIME));
  *time = {};
  time->time = shown.tv_sec;
  time->millitm = static_cast<unsigned short>(shown.tv_nsec / 1'000'000);
  return 0;
}

// The processor time of a process is the host's time, as CLOCK_PROCESS_CPUTIME_ID shows it.
clock_t clock() noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(clock)());
  return std::chrono::duration_cast<std::chrono::microseconds>(execution->host().now()).count();
}

// In ticks of 10 ms (sysconf(_SC_CLK_TCK)).
clock_t times(tms* spent) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(times)(spent));
  const clock_t ticks = execution->host().now() / std::chrono::milliseconds(10);
  if (spent) *spent = {.tms_utime = ticks, .tms_stime = 0, .tms_cutime = 0, .tms_cstime = 0};
  return ticks;
}

// All that it tells beside the processor time is the real process's, and 0 here.
int getrusage(int who, rusage* usage) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(getrusage)(who, usage));
  if (who != RUSAGE_SELF && who != RUSAGE_THREAD && who != RUSAGE_CHILDREN) {
    return errno = EINVAL, -1;
  }
  *usage = {};
  if (who == RUSAGE_CHILDREN) return 0;
  const timespec spent = to_timespec(now(*execution, CLOCK_PROCESS_CPUTIME_ID));
  usage->ru_utime = {.tv_sec = spent.tv_sec, .tv_usec = spent.tv_nsec / 1000};
  return 0;
}

}  // extern "C"

LOCKSTEP_LINKED(clocks)
