#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdint>
#include <string_view>

#include "calls.h"
#include "chance.h"
#include "handled.h"
#include "process_ids.h"
#include "real.h"

// libstdc++ makes the futex system call itself, through syscall(): for std::atomic::wait,
// std::latch, std::counting_semaphore and the initialization of static variables.

namespace lockstep::intercept {

namespace {

struct FutexCall {
  std::uint32_t* word;
  int operation;
  std::uint32_t value;
  const timespec* timeout;
  std::uint32_t bits;  // Those of FUTEX_WAIT_BITSET and FUTEX_WAKE_BITSET.
};

std::optional<std::chrono::nanoseconds> deadline_of(const Execution& execution,
                                                    const FutexCall& call) {
  if (!call.timeout) return std::nullopt;
  auto& host = const_cast<Execution&>(execution).host();
  const bool is_real = (call.operation & FUTEX_CLOCK_REALTIME) != 0;
  if ((call.operation & FUTEX_CMD_MASK) == FUTEX_WAIT) {
    return host.now() + from_timespec(*call.timeout);
  }
  return due(is_real ? CLOCK_REALTIME : CLOCK_MONOTONIC, *call.timeout);
}

long wait(Execution& execution, const FutexCall& call) {
  if (call.timeout && !is_valid_for_linux(*call.timeout)) return errno = EINVAL, -1;
  execution.point("futex");
  if (__atomic_load_n(call.word, __ATOMIC_SEQ_CST) != call.value) return errno = EAGAIN, -1;
  const auto until = deadline_of(execution, call);
  if (until && execution.host().now() >= *until) return errno = ETIMEDOUT, -1;
  const Woken woken = execution.wait("futex", call.word, until);
  return woken == Woken::kByTimer ? (errno = ETIMEDOUT, -1) : 0;
}

bool any_waits(const Execution& execution, const std::uint32_t* word) {
  return execution.any_waits(word, [](std::string_view) { return true; });
}

// Returns the number of threads that it has woken, at most `value`. Without a waiter it is no
// scheduling point: libstdc++ leaves the call out unless it counts waiters in one of sixteen
// buckets, where it finds those of other variables, and those that an earlier execution has left in
// the middle. Most threads that began to wait meanwhile would find another value. On one that finds
// the same, as in a word that is 0, 1 or 2, it would be a spurious wake, and those do not occur.
long wake(Execution& execution, const FutexCall& call) {
  if (!any_waits(execution, call.word)) return 0;
  execution.point("futex");
  const std::size_t waited = execution.waiters();
  if (call.value >= static_cast<std::uint32_t>(INT_MAX)) {
    execution.wake_all(call.word);
    return static_cast<long>(waited - execution.waiters());
  }
  for (std::uint32_t woken = 0; woken < call.value; ++woken) {
    const std::size_t before = execution.waiters();
    execution.wake_one(call.word);
    if (execution.waiters() == before) break;
  }
  return static_cast<long>(waited - execution.waiters());
}

long futex(Execution& execution, const FutexCall& call) {
  const int operation = call.operation & FUTEX_CMD_MASK;
  const bool has_bits = operation == FUTEX_WAIT_BITSET || operation == FUTEX_WAKE_BITSET;
  if (has_bits && call.bits == 0) return errno = EINVAL, -1;
  if (has_bits && call.bits != FUTEX_BITSET_MATCH_ANY) {
    execution.refuse("futex", "waits and wakes for some bits only cannot be intercepted");
  }
  switch (operation) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET: return wait(execution, call);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET: return wake(execution, call);
    default: execution.refuse("futex", "only waits and wakes can be intercepted");
  }
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" long syscall(long number, ...) noexcept {
  va_list arguments;
  va_start(arguments, number);
  long a[6];
  for (long& argument : a) argument = va_arg(arguments, long);
  va_end(arguments);
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]));
  // NOLINTBEGIN(performance-no-int-to-ptr): arguments of system calls are numbers.
  if (number == SYS_futex) {
    return futex(*execution,
                 {reinterpret_cast<std::uint32_t*>(a[0]), static_cast<int>(a[1]),
                  static_cast<std::uint32_t>(a[2]), reinterpret_cast<const timespec*>(a[3]),
                  static_cast<std::uint32_t>(a[5])});
  }
  if (number == SYS_getrandom) {
    fill(*execution, reinterpret_cast<void*>(a[0]), static_cast<std::size_t>(a[1]));
    return a[1];
  }
  // NOLINTEND(performance-no-int-to-ptr)
  if (number == SYS_gettid) return thread_id(*execution->running());
  if (number == SYS_getpid) return process_id(*execution->running());
  if (number == SYS_getppid) return kParentProcessId;
  execution->refuse("syscall", "system call " + std::to_string(number) + " cannot be intercepted");
}

LOCKSTEP_LINKED(futexes)
