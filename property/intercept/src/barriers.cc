#include <errno.h>
#include <pthread.h>

#include <new>

#include "calls.h"
#include "handled.h"
#include "real.h"

namespace lockstep::intercept {

namespace {

// The contents of a barrier that an intercepted thread has initialized; `ours` tells them from
// glibc's.
struct Barrier {
  static constexpr std::uint32_t kOurs = 0x10c57e9;
  std::uint32_t ours;
  std::uint32_t count;
  std::uint32_t arrived;
  std::uint32_t round;
  std::uint32_t leaving;  // Threads that a full round has woken, and that still use the barrier.
};
static_assert(sizeof(Barrier) <= sizeof(pthread_barrier_t));

Barrier& of(pthread_barrier_t& barrier) { return *reinterpret_cast<Barrier*>(&barrier); }

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                         unsigned count) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_barrier_init)(barrier, attributes, count));
  if (count == 0) return EINVAL;
  ::new (static_cast<void*>(barrier)) Barrier{Barrier::kOurs, count, 0, 0, 0};
  return 0;
}

int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_barrier_wait)(barrier));
  Barrier& own = of(*barrier);
  if (own.ours != Barrier::kOurs) {
    execution->refuse("pthread_barrier_wait",
                      "the barrier was initialized before the hunted code began");
  }
  execution->point("pthread_barrier_wait");
  const std::uint32_t round = own.round;
  happens_before(barrier);
  if (++own.arrived == own.count) {
    own.arrived = 0;
    own.leaving += own.count - 1;
    ++own.round;
    happens_after(barrier);
    execution->wake_all(barrier);
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  while (own.round == round) execution->wait("pthread_barrier_wait", barrier);
  happens_after(barrier);
  if (--own.leaving == 0) execution->wake_all(&own.leaving);
  return 0;
}

int pthread_barrier_destroy(pthread_barrier_t* barrier) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_barrier_destroy)(barrier));
  Barrier& own = of(*barrier);
  // As in glibc, threads that leave may use the barrier until they have returned.
  while (own.ours == Barrier::kOurs && own.leaving > 0) {
    execution->wait("pthread_barrier_destroy", &own.leaving);
  }
  own.ours = 0;
  return 0;
}

}  // extern "C"

LOCKSTEP_LINKED(barriers)
