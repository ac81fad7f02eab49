#include <errno.h>
#include <pthread.h>

#include "calls.h"
#include "handled.h"
#include "real.h"

// Spin locks, in glibc's representation on x86-64. A thread does not spin: it waits for the unlock.

namespace {
constexpr int kFree = 1;
constexpr int kTaken = 0;
}  // namespace

using namespace lockstep::intercept;

extern "C" {

int pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_spin_lock)(lock));
  execution->point("pthread_spin_lock", LOCKSTEP_CALLER);
  while (*lock != kFree) execution->wait("pthread_spin_lock", const_cast<const int*>(lock));
  *lock = kTaken;
  happens_after(const_cast<const int*>(lock));
  return 0;
}

int pthread_spin_trylock(pthread_spinlock_t* lock) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_spin_trylock)(lock));
  execution->point("pthread_spin_trylock", LOCKSTEP_CALLER);
  if (*lock != kFree) return EBUSY;
  *lock = kTaken;
  happens_after(const_cast<const int*>(lock));
  return 0;
}

int pthread_spin_unlock(pthread_spinlock_t* lock) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_spin_unlock)(lock));
  happens_before(const_cast<const int*>(lock));
  *lock = kFree;
  execution->wake_all(const_cast<const int*>(lock));
  return 0;
}

}  // extern "C"

LOCKSTEP_LINKED(spinlocks)
