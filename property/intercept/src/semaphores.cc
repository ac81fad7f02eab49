#include <errno.h>
#include <semaphore.h>

#include "calls.h"
#include "handled.h"
#include "real.h"

// A semaphore keeps its count as in glibc: the real sem_trywait() and sem_post() change it, and a
// thread waits in the execution if sem_trywait() fails.

namespace lockstep::intercept {

namespace {

int wait(Execution& execution, std::string_view call, sem_t& semaphore,
         std::optional<std::chrono::nanoseconds> until) {
  while (LOCKSTEP_REAL(sem_trywait)(&semaphore) != 0) {
    if (until && execution.host().now() >= *until) return errno = ETIMEDOUT, -1;
    execution.wait(call, &semaphore, until);
  }
  return 0;
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int sem_wait(sem_t* semaphore) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(sem_wait)(semaphore));
  execution->point("sem_wait");
  return wait(*execution, "sem_wait", *semaphore, std::nullopt);
}

int sem_trywait(sem_t* semaphore) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(sem_trywait)(semaphore));
  execution->point("sem_trywait");
  return LOCKSTEP_REAL(sem_trywait)(semaphore);
}

int sem_timedwait(sem_t* semaphore, const timespec* deadline) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(sem_timedwait)(semaphore, deadline));
  if (!is_valid(*deadline)) return errno = EINVAL, -1;
  execution->point("sem_timedwait");
  return wait(*execution, "sem_timedwait", *semaphore, due(CLOCK_REALTIME, *deadline));
}

int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* deadline) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(sem_clockwait)(semaphore, clock, deadline));
  if (!is_valid(*deadline) || !is_waited_on(clock)) return errno = EINVAL, -1;
  execution->point("sem_clockwait");
  return wait(*execution, "sem_clockwait", *semaphore, due(clock, *deadline));
}

int sem_post(sem_t* semaphore) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(sem_post)(semaphore));
  execution->point("sem_post");
  const int result = LOCKSTEP_REAL(sem_post)(semaphore);
  if (result == 0) execution->wake_all(semaphore);
  return result;
}

}  // extern "C"

LOCKSTEP_LINKED(semaphores)
