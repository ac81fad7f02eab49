#include "mutexes.h"

#include <errno.h>
#include <pthread.h>

#include <cstdint>

#include "calls.h"
#include "handled.h"
#include "real.h"

// Mutexes keep their state in glibc's fields, so that a mutex that is initialized statically, or
// outside of an execution, works inside. An unlock does not pass the mutex on to a waiter: the
// first thread that runs gets it. The count of users tells in which execution a mutex was taken.

namespace lockstep::intercept {

namespace {

constexpr int kKindBits = 127;  // Higher bits: shared by processes, and lock elision.

int id_of(const Thread& thread) { return static_cast<int>(thread.number()) + 1; }

void check_kind(Execution& execution, const pthread_mutex_t& mutex, std::string_view call) {
  const int kind = mutex.__data.__kind & kKindBits;
  if (kind > PTHREAD_MUTEX_ADAPTIVE_NP) {
    execution.refuse(
        call, "robust, priority-inheriting and priority-protected mutexes cannot be intercepted");
  }
}

// Real counts are smaller.
constexpr unsigned kMark = 1U << 31;
unsigned mark_of(const Execution* execution) { return execution ? kMark | execution->number() : 0; }

// A thread that an execution has left in the middle holds nothing any more. `current` is null where
// there is no execution.
void free_if_left(const Execution* current, pthread_mutex_t& mutex) {
  auto& data = mutex.__data;
  const bool is_marked = data.__nusers >= kMark;
  if (!is_marked || data.__lock == 0 || data.__nusers == mark_of(current)) [[likely]]
    return;
  data.__lock = 0;
  data.__owner = 0;
  data.__count = 0;
  data.__nusers = 0;
}

// Prepares a mutex for the real functions, by which other code than that under test takes it.
pthread_mutex_t* seen_outside(pthread_mutex_t* mutex) {
  free_if_left(Execution::current(), *mutex);
  return mutex;
}

// The same for its unlock, after which the real count has to be 0.
pthread_mutex_t* owned_outside(pthread_mutex_t* mutex) {
  if (mutex->__data.__nusers >= kMark) mutex->__data.__nusers = 1;
  return mutex;
}

// A thread of this execution tries to lock the mutex, or until a deadline, which may be now: from
// now on, its unlocks are scheduling points. Otherwise the try would always find it free after a
// section without other points. glibc uses the field for robust mutexes only, and a mutex that is
// initialized again forgets the try.
void note_try(Execution& execution, pthread_mutex_t& mutex, std::string_view call) {
  check_kind(execution, mutex, call);
  mutex.__data.__list.__next = reinterpret_cast<__pthread_internal_list*>(
      static_cast<std::uintptr_t>(mark_of(&execution)));  // NOLINT(performance-no-int-to-ptr)
}
bool has_been_tried(const Execution& execution, const pthread_mutex_t& mutex) {
  return reinterpret_cast<std::uintptr_t>(mutex.__data.__list.__next) == mark_of(&execution);
}

bool is_owner(const Execution& execution, const pthread_mutex_t& mutex) {
  return mutex.__data.__lock != 0 && mutex.__data.__owner == id_of(*execution.running());
}

// Takes the mutex if it is free, or recursive and owned by the running thread. Returns 0 or the
// error.
int take(Execution& execution, pthread_mutex_t& mutex) {
  free_if_left(&execution, mutex);
  auto& data = mutex.__data;
  if (data.__lock == 0) {
    data.__lock = 1;
    data.__owner = id_of(*execution.running());
    data.__count = 1;
    data.__nusers = mark_of(&execution);
    happens_after(&mutex);
    return 0;
  }
  if (!is_owner(execution, mutex)) return EBUSY;
  const int kind = data.__kind & kKindBits;
  if (kind == PTHREAD_MUTEX_RECURSIVE) return ++data.__count, 0;
  return kind == PTHREAD_MUTEX_ERRORCHECK ? EDEADLK : EBUSY;
}

}  // namespace

int lock(Execution& execution, pthread_mutex_t& mutex, std::string_view call,
         std::optional<std::chrono::nanoseconds> until) {
  check_kind(execution, mutex, call);
  for (;;) {
    const int error = take(execution, mutex);
    if (error != EBUSY) return error;
    if (until && execution.host().now() >= *until) return ETIMEDOUT;
    execution.wait(call, &mutex, until);
  }
}

namespace {

// A deadline matters, even if it is none, only if the mutex is taken.
int lock(Execution& execution, pthread_mutex_t& mutex, std::string_view call, clockid_t clock,
         const timespec& deadline) {
  if (is_valid(deadline)) return lock(execution, mutex, call, due(clock, deadline));
  check_kind(execution, mutex, call);
  const int error = take(execution, mutex);
  return error == EBUSY ? EINVAL : error;
}

}  // namespace

int try_lock(Execution& execution, pthread_mutex_t& mutex, std::string_view call) {
  check_kind(execution, mutex, call);
  const int error = take(execution, mutex);
  return error == EDEADLK ? EBUSY : error;
}

int unlock(Execution& execution, pthread_mutex_t& mutex) {
  free_if_left(&execution, mutex);
  auto& data = mutex.__data;
  const int kind = data.__kind & kKindBits;
  const bool checks = kind == PTHREAD_MUTEX_ERRORCHECK || kind == PTHREAD_MUTEX_RECURSIVE;
  if (checks && !is_owner(execution, mutex)) return EPERM;
  if (data.__count > 1) return --data.__count, 0;
  happens_before(&mutex);
  data.__lock = 0;
  data.__owner = 0;
  data.__count = 0;
  data.__nusers = 0;
  execution.wake_all(&mutex);
  return 0;
}

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_mutex_lock)(seen_outside(mutex)));
  execution->point("pthread_mutex_lock", LOCKSTEP_CALLER);
  return lock(*execution, *mutex, "pthread_mutex_lock", std::nullopt);
}

int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_mutex_trylock)(seen_outside(mutex)));
  note_try(*execution, *mutex, "pthread_mutex_trylock");
  execution->point("pthread_mutex_trylock", LOCKSTEP_CALLER);
  return try_lock(*execution, *mutex, "pthread_mutex_trylock");
}

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* deadline) noexcept {
  LOCKSTEP_INTERCEPT(execution,
                     LOCKSTEP_REAL(pthread_mutex_timedlock)(seen_outside(mutex), deadline));
  note_try(*execution, *mutex, "pthread_mutex_timedlock");
  execution->point("pthread_mutex_timedlock", LOCKSTEP_CALLER);
  return lock(*execution, *mutex, "pthread_mutex_timedlock", CLOCK_REALTIME, *deadline);
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                            const timespec* deadline) noexcept {
  LOCKSTEP_INTERCEPT(execution,
                     LOCKSTEP_REAL(pthread_mutex_clocklock)(seen_outside(mutex), clock, deadline));
  if (!is_waited_on(clock)) return EINVAL;
  note_try(*execution, *mutex, "pthread_mutex_clocklock");
  execution->point("pthread_mutex_clocklock", LOCKSTEP_CALLER);
  return lock(*execution, *mutex, "pthread_mutex_clocklock", clock, *deadline);
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_mutex_unlock)(owned_outside(mutex)));
  if (has_been_tried(*execution, *mutex)) {
    execution->point("pthread_mutex_unlock", LOCKSTEP_CALLER);
  }
  return unlock(*execution, *mutex);
}

int pthread_mutex_destroy(pthread_mutex_t* mutex) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_mutex_destroy)(seen_outside(mutex)));
  free_if_left(execution, *mutex);
  if (mutex->__data.__lock != 0) return EBUSY;
  return 0;
}

}  // extern "C"

LOCKSTEP_LINKED(mutexes)
