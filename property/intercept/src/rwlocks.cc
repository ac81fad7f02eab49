#include <errno.h>
#include <pthread.h>

#include "calls.h"
#include "handled.h"
#include "real.h"

// A read/write lock keeps its state as in glibc: the real try functions change it, and a thread
// waits in the execution if they fail. So glibc sees no waiting writer: those that keep readers out
// (PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) are found among the execution's waiters. glibc
// stores the real thread that writes, which is the same for all threads of an execution, so a field
// that glibc does not use tells which of them it is. Others tell in which execution the lock was
// taken, and in which a thread has tried to take it.

namespace lockstep::intercept {

namespace {

unsigned long id_of(const Thread& thread) { return thread.number() + 1UL; }

unsigned mark_of(const Execution* execution) {
  return execution ? 1U << 31 | execution->number() : 0;
}

// Threads that an execution has left in the middle hold nothing any more. `current` is null where
// there is no execution.
void free_if_left(const Execution* current, pthread_rwlock_t& rwlock) {
  auto& data = rwlock.__data;
  if (data.__pad4 == 0 || data.__pad4 == mark_of(current)) return;
  data.__readers = 0;
  data.__writers = 0;
  data.__wrphase_futex = 0;
  data.__writers_futex = 0;
  data.__cur_writer = 0;
  data.__pad2 = 0;
  data.__pad4 = 0;
}

bool is_held(const pthread_rwlock_t& rwlock) {
  constexpr unsigned kOneReader = 1U << 3;  // PTHREAD_RWLOCK_READER_SHIFT of glibc
  return rwlock.__data.__cur_writer != 0 || rwlock.__data.__readers >= kOneReader;
}

// Prepares a lock for the real functions, by which other code than that under test takes it.
pthread_rwlock_t* seen_outside(pthread_rwlock_t* rwlock) {
  free_if_left(Execution::current(), *rwlock);
  return rwlock;
}

// The same for its unlock: code outside may take it again while this execution lasts, and then has
// it for itself.
pthread_rwlock_t* owned_outside(pthread_rwlock_t* rwlock) {
  constexpr unsigned kTwoReaders = 2U << 3;
  if (rwlock->__data.__readers < kTwoReaders) rwlock->__data.__pad4 = 0;
  return rwlock;
}

bool is_writer(const Execution& execution, const pthread_rwlock_t& rwlock) {
  return rwlock.__data.__cur_writer != 0 && rwlock.__data.__pad2 == id_of(*execution.running());
}

bool prefers_writers(const pthread_rwlock_t& rwlock) {
  return rwlock.__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

int try_to_read(Execution& execution, pthread_rwlock_t& rwlock) {
  const auto writes = [](std::string_view call) { return call.ends_with("wrlock"); };
  if (prefers_writers(rwlock) && execution.any_waits(&rwlock, writes)) return EBUSY;
  free_if_left(&execution, rwlock);
  const bool was_free = !is_held(rwlock);  // Otherwise other code may be reading.
  const int error = LOCKSTEP_REAL(pthread_rwlock_tryrdlock)(&rwlock);
  if (error == 0 && was_free) rwlock.__data.__pad4 = mark_of(&execution);
  return error;
}

int try_to_write(Execution& execution, pthread_rwlock_t& rwlock) {
  free_if_left(&execution, rwlock);
  const int error = LOCKSTEP_REAL(pthread_rwlock_trywrlock)(&rwlock);
  if (error != 0) return error;
  rwlock.__data.__pad2 = id_of(*execution.running());
  rwlock.__data.__pad4 = mark_of(&execution);
  return 0;
}

// A thread of this execution tries to lock, or until a deadline, which may be now: from now on,
// unlocks are scheduling points. Otherwise the try would always find the lock free after a section
// without other points.
void note_try(const Execution& execution, pthread_rwlock_t& rwlock) {
  rwlock.__data.__pad3 = mark_of(&execution);
}
bool has_been_tried(const Execution& execution, const pthread_rwlock_t& rwlock) {
  return rwlock.__data.__pad3 == mark_of(&execution);
}

using Try = int (*)(Execution&, pthread_rwlock_t&);

int wait(Execution& execution, std::string_view call, pthread_rwlock_t& rwlock, Try attempt,
         std::optional<std::chrono::nanoseconds> until) {
  if (until) note_try(execution, rwlock);
  execution.point(call);
  free_if_left(&execution, rwlock);
  if (is_writer(execution, rwlock)) return EDEADLK;
  for (;;) {
    const int error = attempt(execution, rwlock);
    if (error != EBUSY) return error;
    if (until && execution.host().now() >= *until) {
      // Readers may have waited for this writer alone.
      if (attempt == &try_to_write && prefers_writers(rwlock)) execution.wake_all(&rwlock);
      return ETIMEDOUT;
    }
    execution.wait(call, &rwlock, until);
  }
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int pthread_rwlock_rdlock(pthread_rwlock_t* rwlock) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_rwlock_rdlock)(seen_outside(rwlock)));
  return wait(*execution, "pthread_rwlock_rdlock", *rwlock, &try_to_read, std::nullopt);
}

int pthread_rwlock_wrlock(pthread_rwlock_t* rwlock) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_rwlock_wrlock)(seen_outside(rwlock)));
  return wait(*execution, "pthread_rwlock_wrlock", *rwlock, &try_to_write, std::nullopt);
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t* rwlock) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_rwlock_tryrdlock)(seen_outside(rwlock)));
  note_try(*execution, *rwlock);
  execution->point("pthread_rwlock_tryrdlock");
  return try_to_read(*execution, *rwlock);
}

int pthread_rwlock_trywrlock(pthread_rwlock_t* rwlock) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_rwlock_trywrlock)(seen_outside(rwlock)));
  note_try(*execution, *rwlock);
  execution->point("pthread_rwlock_trywrlock");
  return try_to_write(*execution, *rwlock);
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t* rwlock, const timespec* deadline) noexcept {
  LOCKSTEP_INTERCEPT(execution,
                     LOCKSTEP_REAL(pthread_rwlock_timedrdlock)(seen_outside(rwlock), deadline));
  if (!is_valid(*deadline)) return EINVAL;
  return wait(*execution, "pthread_rwlock_timedrdlock", *rwlock, &try_to_read,
              due(CLOCK_REALTIME, *deadline));
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t* rwlock, const timespec* deadline) noexcept {
  LOCKSTEP_INTERCEPT(execution,
                     LOCKSTEP_REAL(pthread_rwlock_timedwrlock)(seen_outside(rwlock), deadline));
  if (!is_valid(*deadline)) return EINVAL;
  return wait(*execution, "pthread_rwlock_timedwrlock", *rwlock, &try_to_write,
              due(CLOCK_REALTIME, *deadline));
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t* rwlock, clockid_t clock,
                               const timespec* deadline) noexcept {
  LOCKSTEP_INTERCEPT(
      execution, LOCKSTEP_REAL(pthread_rwlock_clockrdlock)(seen_outside(rwlock), clock, deadline));
  if (!is_valid(*deadline) || !is_waited_on(clock)) return EINVAL;
  return wait(*execution, "pthread_rwlock_clockrdlock", *rwlock, &try_to_read,
              due(clock, *deadline));
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t* rwlock, clockid_t clock,
                               const timespec* deadline) noexcept {
  LOCKSTEP_INTERCEPT(
      execution, LOCKSTEP_REAL(pthread_rwlock_clockwrlock)(seen_outside(rwlock), clock, deadline));
  if (!is_valid(*deadline) || !is_waited_on(clock)) return EINVAL;
  return wait(*execution, "pthread_rwlock_clockwrlock", *rwlock, &try_to_write,
              due(clock, *deadline));
}

int pthread_rwlock_unlock(pthread_rwlock_t* rwlock) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_rwlock_unlock)(owned_outside(rwlock)));
  if (has_been_tried(*execution, *rwlock)) execution->point("pthread_rwlock_unlock");
  const int result = LOCKSTEP_REAL(pthread_rwlock_unlock)(rwlock);
  if (!is_held(*rwlock)) rwlock->__data.__pad4 = 0;
  execution->wake_all(rwlock);
  return result;
}

}  // extern "C"

LOCKSTEP_LINKED(rwlocks)
