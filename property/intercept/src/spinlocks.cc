#include <errno.h>
#include <limits.h>
#include <pthread.h>

#include "calls.h"
#include "handled.h"
#include "real.h"

// Spin locks, in glibc's representation on x86-64, to which 0 and all numbers below are a taken
// lock: a low one tells in which execution it was taken. (Real threads that spin count down, by one
// each.) A thread does not spin: it waits for the unlock.

using namespace lockstep::intercept;

namespace {

constexpr int kFree = 1;

// Real threads never count down to it.
constexpr int kMark = INT_MIN / 2;
int mark_of(const Execution& execution) {
  return kMark - static_cast<int>(execution.number() & static_cast<unsigned>(INT_MAX / 2));
}

// A thread that another execution has left in the middle holds nothing any more. `current` is null
// where there is no execution.
bool is_left(const Execution* current, int lock) {
  return lock <= kMark && !(current && lock == mark_of(*current));
}

bool is_free(const Execution& execution, int lock) {
  return lock == kFree || is_left(&execution, lock);
}

// Prepares a lock for the real functions, by which other code than that under test takes it. They
// may do so in several real threads at once.
pthread_spinlock_t* seen_outside(pthread_spinlock_t* lock) {
  int found = __atomic_load_n(lock, __ATOMIC_RELAXED);
  if (is_left(Execution::current(), found)) {
    __atomic_compare_exchange_n(lock, &found, kFree, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  }
  return lock;
}

}  // namespace

extern "C" {

int pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_spin_lock)(seen_outside(lock)));
  execution->point("pthread_spin_lock", LOCKSTEP_CALLER);
  while (!is_free(*execution, *lock)) {
    execution->wait("pthread_spin_lock", const_cast<const int*>(lock));
  }
  *lock = mark_of(*execution);
  happens_after(const_cast<const int*>(lock));
  return 0;
}

int pthread_spin_trylock(pthread_spinlock_t* lock) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_spin_trylock)(seen_outside(lock)));
  execution->point("pthread_spin_trylock", LOCKSTEP_CALLER);
  if (!is_free(*execution, *lock)) return EBUSY;
  *lock = mark_of(*execution);
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
