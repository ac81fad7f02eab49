#include <errno.h>
#include <pthread.h>

#include "calls.h"
#include "handled.h"
#include "real.h"

// A read/write lock keeps its state as in glibc: the real try functions change it, and a thread
// waits in the execution if they fail. Therefore a waiting writer does not keep readers out.

namespace lockstep::intercept {

namespace {

using Try = int (*)(pthread_rwlock_t*) noexcept;

int wait(Execution& execution, std::string_view call, pthread_rwlock_t& rwlock, Try attempt,
         std::optional<std::chrono::nanoseconds> until) {
  for (;;) {
    const int error = attempt(&rwlock);
    if (error != EBUSY) return error;
    if (until && execution.host().now() >= *until) return ETIMEDOUT;
    execution.wait(call, &rwlock, until);
  }
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int pthread_rwlock_rdlock(pthread_rwlock_t* rwlock) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_rwlock_rdlock)(rwlock));
  execution->point("pthread_rwlock_rdlock");
  return wait(*execution, "pthread_rwlock_rdlock", *rwlock, LOCKSTEP_REAL(pthread_rwlock_tryrdlock),
              std::nullopt);
}

int pthread_rwlock_wrlock(pthread_rwlock_t* rwlock) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_rwlock_wrlock)(rwlock));
  execution->point("pthread_rwlock_wrlock");
  return wait(*execution, "pthread_rwlock_wrlock", *rwlock, LOCKSTEP_REAL(pthread_rwlock_trywrlock),
              std::nullopt);
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t* rwlock) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_rwlock_tryrdlock)(rwlock));
  execution->point("pthread_rwlock_tryrdlock");
  return LOCKSTEP_REAL(pthread_rwlock_tryrdlock)(rwlock);
}

int pthread_rwlock_trywrlock(pthread_rwlock_t* rwlock) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_rwlock_trywrlock)(rwlock));
  execution->point("pthread_rwlock_trywrlock");
  return LOCKSTEP_REAL(pthread_rwlock_trywrlock)(rwlock);
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t* rwlock, const timespec* deadline) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_rwlock_timedrdlock)(rwlock, deadline));
  execution->point("pthread_rwlock_timedrdlock");
  return wait(*execution, "pthread_rwlock_timedrdlock", *rwlock,
              LOCKSTEP_REAL(pthread_rwlock_tryrdlock), due(CLOCK_REALTIME, *deadline));
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t* rwlock, const timespec* deadline) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_rwlock_timedwrlock)(rwlock, deadline));
  execution->point("pthread_rwlock_timedwrlock");
  return wait(*execution, "pthread_rwlock_timedwrlock", *rwlock,
              LOCKSTEP_REAL(pthread_rwlock_trywrlock), due(CLOCK_REALTIME, *deadline));
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t* rwlock, clockid_t clock,
                               const timespec* deadline) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_rwlock_clockrdlock)(rwlock, clock, deadline));
  execution->point("pthread_rwlock_clockrdlock");
  return wait(*execution, "pthread_rwlock_clockrdlock", *rwlock,
              LOCKSTEP_REAL(pthread_rwlock_tryrdlock), due(clock, *deadline));
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t* rwlock, clockid_t clock,
                               const timespec* deadline) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_rwlock_clockwrlock)(rwlock, clock, deadline));
  execution->point("pthread_rwlock_clockwrlock");
  return wait(*execution, "pthread_rwlock_clockwrlock", *rwlock,
              LOCKSTEP_REAL(pthread_rwlock_trywrlock), due(clock, *deadline));
}

int pthread_rwlock_unlock(pthread_rwlock_t* rwlock) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_rwlock_unlock)(rwlock));
  const int result = LOCKSTEP_REAL(pthread_rwlock_unlock)(rwlock);
  execution->wake_all(rwlock);
  return result;
}

}  // extern "C"

LOCKSTEP_LINKED(rwlocks)
