#include <errno.h>
#include <pthread.h>

#include "calls.h"
#include "handled.h"
#include "mutexes.h"
#include "real.h"

// Condition variables. Their memory holds only their clock, as in glibc, so that one that is
// initialized outside of an execution works inside. The execution knows the waiters; which of them
// a signal wakes is a choice.

namespace lockstep::intercept {

namespace {

constexpr unsigned kMonotonicBit = 2;  // __COND_CLOCK_MONOTONIC_MASK of glibc

clockid_t clock_of(const pthread_cond_t& condition) {
  return (condition.__data.__wrefs & kMonotonicBit) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

int wait(Execution& execution, std::string_view call, pthread_cond_t& condition,
         pthread_mutex_t& mutex, std::optional<std::chrono::nanoseconds> until) {
  if (const int error = unlock(execution, mutex)) return error;
  const bool is_late = until && execution.host().now() >= *until;
  Woken woken = Woken::kByTimer;
  if (is_late) {
    execution.give_way(call);  // Others get the mutex in between, or a loop would keep it for ever.
  } else {
    woken = execution.wait(call, &condition, until);
  }
  const int error = lock(execution, mutex, call, std::nullopt);
  if (error != 0) return error;
  return woken == Woken::kByTimer ? ETIMEDOUT : 0;
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

#define LOCKSTEP_REAL_COND(function) LOCKSTEP_REAL_VERSION(function, "GLIBC_2.3.2")

extern "C" {

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL_COND(pthread_cond_wait)(condition, mutex));
  execution->point("pthread_cond_wait", LOCKSTEP_CALLER);
  return wait(*execution, "pthread_cond_wait", *condition, *mutex, std::nullopt);
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* deadline) {
  LOCKSTEP_INTERCEPT(execution,
                     LOCKSTEP_REAL_COND(pthread_cond_timedwait)(condition, mutex, deadline));
  if (!is_valid(*deadline)) return EINVAL;
  execution->point("pthread_cond_timedwait", LOCKSTEP_CALLER);
  return wait(*execution, "pthread_cond_timedwait", *condition, *mutex,
              due(clock_of(*condition), *deadline));
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* deadline) {
  LOCKSTEP_INTERCEPT(execution,
                     LOCKSTEP_REAL(pthread_cond_clockwait)(condition, mutex, clock, deadline));
  if (!is_valid(*deadline) || !is_waited_on(clock)) return EINVAL;
  execution->point("pthread_cond_clockwait", LOCKSTEP_CALLER);
  return wait(*execution, "pthread_cond_clockwait", *condition, *mutex, due(clock, *deadline));
}

int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL_COND(pthread_cond_signal)(condition));
  execution->point("pthread_cond_signal", LOCKSTEP_CALLER);
  execution->wake_one(condition);
  return 0;
}

int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL_COND(pthread_cond_broadcast)(condition));
  execution->point("pthread_cond_broadcast", LOCKSTEP_CALLER);
  execution->wake_all(condition);
  return 0;
}

int pthread_cond_destroy(pthread_cond_t* condition) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL_COND(pthread_cond_destroy)(condition));
  return 0;
}

}  // extern "C"

LOCKSTEP_LINKED(conditions)
