#include <errno.h>
#include <sys/time.h>
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
  const bool is_real = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  return is_real ? kRealTime : seconds(0);
}

timespec to_timespec(nanoseconds time) {
  const auto whole = std::chrono::duration_cast<seconds>(time);
  return {.tv_sec = whole.count(), .tv_nsec = (time - whole).count()};
}

nanoseconds from_timespec(const timespec& time) {
  // The limit avoids an overflow; a deadline that far away never comes.
  constexpr time_t kMostSeconds = 4'000'000'000;
  if (time.tv_sec > kMostSeconds) return seconds(kMostSeconds);
  return seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

nanoseconds due(clockid_t clock, const timespec& deadline) {
  return from_timespec(deadline) - epoch_of(clock);
}

bool is_valid(const timespec& time) { return time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000; }

namespace {

nanoseconds now(Execution& execution, clockid_t clock) {
  return execution.host().now() + epoch_of(clock);
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(clock_gettime)(clock, time));
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

}  // extern "C"

LOCKSTEP_LINKED(clocks)
