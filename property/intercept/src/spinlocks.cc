#include <errno.h>
#include <pthread.h>

#include "calls.h"
#include "handled.h"
#include "real.h"

// Spin locks, in glibc's representation on x86-64, to which 0 and all numbers below are a taken
// lock: which one tells in which execution. (Real threads that spin count down from 0, too: a lock
// for which they compete meanwhile is none for hunted code.) A thread does not spin: it waits for
// the unlock.

using namespace lockstep::intercept;

namespace {

constexpr int kFree = 1;

int taken_in(const Execution& execution) { return -static_cast<int>(execution.number()); }

// A thread that an earlier execution has left in the middle holds nothing any more.
bool is_free(const Execution& execution, int lock) {
  return lock == kFree || (lock < 0 && lock != taken_in(execution));
}

}  // namespace

extern "C" {

int pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_spin_lock)(lock));
  execution->point("pthread_spin_lock", LOCKSTEP_CALLER);
  while (!is_free(*execution, *lock)) {
    execution->wait("pthread_spin_lock", const_cast<const int*>(lock));
  }
  *lock = taken_in(*execution);
  happens_after(const_cast<const int*>(lock));
  return 0;
}

int pthread_spin_trylock(pthread_spinlock_t* lock) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_spin_trylock)(lock));
  execution->point("pthread_spin_trylock", LOCKSTEP_CALLER);
  if (!is_free(*execution, *lock)) return EBUSY;
  *lock = taken_in(*execution);
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
