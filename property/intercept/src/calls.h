#pragma once

#include <time.h>

#include <chrono>
#include <optional>

#include "lockstep/intercept/execution.h"

// The beginning of an intercepted function: code that is not under test calls the real one.
//
//   LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(close)(file));
#define LOCKSTEP_INTERCEPT(execution, real)           \
  ::lockstep::intercept::Execution* const execution = \
      ::lockstep::intercept::Execution::of_caller();  \
  if (!(execution)) [[likely]]                        \
    return real;                                      \
  const ::lockstep::intercept::Execution::Inside inside_the_runtime

// The current function's return address.
#define LOCKSTEP_CALLER __builtin_return_address(0)

namespace lockstep::intercept {

// The difference between a clock and the host's time.
[[nodiscard]] std::chrono::nanoseconds epoch_of(clockid_t clock);
[[nodiscard]] timespec to_timespec(std::chrono::nanoseconds time);
[[nodiscard]] std::chrono::nanoseconds from_timespec(const timespec& time);
// Converts a deadline on that clock to the host's time.
[[nodiscard]] std::chrono::nanoseconds due(clockid_t clock, const timespec& deadline);
// Whether it is a valid time.
[[nodiscard]] bool is_valid(const timespec& time);

}  // namespace lockstep::intercept
