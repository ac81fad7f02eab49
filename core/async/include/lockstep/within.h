#pragma once

#include <chrono>
#include <stop_token>
#include <utility>

#include "lockstep/context.h"
#include "lockstep/executor.h"

namespace lockstep {

// A context that ends after this time, by the executor's clock: virtual time on the fake. A time of
// a hundred years or more never ends. From any thread. Create it when the time begins: one context
// for all calls that share the time, a new one for the next attempt.
template <class Rep, class Period>
[[nodiscard]] Context within(const Executor& executor, std::chrono::duration<Rep, Period> wait,
                             std::stop_token stop = {}) {
  constexpr std::chrono::duration<double> kForEver = std::chrono::hours(100 * 365 * 24);
  if (std::chrono::duration<double>(wait) >= kForEver) return {std::move(stop)};
  const TimePoint now = executor.now();
  if (wait <= wait.zero()) return {now, std::move(stop)};
  return {now + std::chrono::ceil<Duration>(wait), std::move(stop)};
}

// A context that ends at this time, in any unit. A time later than the clock can tell never comes,
// and an earlier one has passed. From any thread.
template <class Unit>
[[nodiscard]] Context until(std::chrono::time_point<Clock, Unit> deadline,
                            std::stop_token stop = {}) {
  using Seconds = std::chrono::duration<double>;
  const Seconds since_epoch(deadline.time_since_epoch());
  if (since_epoch >= Seconds(Duration::max())) return {std::move(stop)};
  if (since_epoch <= Seconds(Duration::min())) return {TimePoint::min(), std::move(stop)};
  return {std::chrono::ceil<Duration>(deadline), std::move(stop)};
}

}  // namespace lockstep
