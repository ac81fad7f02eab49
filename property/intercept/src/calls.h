#pragma once

#include <time.h>

#include <chrono>
#include <optional>

#include "lockstep/intercept/execution.h"

// Begins an intercepted function. Code that is not under test gets the result of the real function.
// For code under test, the rest of the function is the runtime's, and `execution` is its execution.
//
//   LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(close)(file));
#define LOCKSTEP_INTERCEPT(execution, real)           \
  ::lockstep::intercept::Execution* const execution = \
      ::lockstep::intercept::Execution::of_caller();  \
  if (!(execution)) [[likely]]                        \
    return real;                                      \
  const ::lockstep::intercept::Execution::InRuntime inside_the_runtime

// The current function's return address, which tells whose code has called it.
#define LOCKSTEP_CALLER __builtin_return_address(0)

namespace lockstep::intercept {

// Returns the time on that clock when the host's time is 0.
[[nodiscard]] std::chrono::nanoseconds epoch_of(clockid_t clock);
[[nodiscard]] timespec to_timespec(std::chrono::nanoseconds time);
[[nodiscard]] std::chrono::nanoseconds from_timespec(const timespec& time);
// Converts a deadline on that clock to the host's time.
[[nodiscard]] std::chrono::nanoseconds due(clockid_t clock, const timespec& deadline);
// Whether tv_nsec is in range; libc's functions fail with EINVAL otherwise.
[[nodiscard]] bool is_valid(const timespec& time);
// Like is_valid(), and not before 0: Linux refuses other times with EINVAL. A deadline of POSIX
// threads may be before 0; it has passed.
[[nodiscard]] bool is_valid_for_linux(const timespec& time);

// Whether libc waits on that clock for a lock, a condition, a semaphore or the end of a thread; it
// fails with EINVAL otherwise.
[[nodiscard]] bool is_waited_on(clockid_t clock);

}  // namespace lockstep::intercept
