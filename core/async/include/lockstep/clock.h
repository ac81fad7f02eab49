#pragma once

#include <chrono>
#include <cstdint>

#include "lockstep/internal/language.h"

namespace lockstep {

// The library's clock: monotone, in nanoseconds, with an arbitrary epoch. An Executor tells the
// time on this clock: steady time in production, virtual time in a simulation. It meets the
// standard's Clock requirements except that `now` needs an executor.
struct Clock {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = std::chrono::duration<rep, period>;
  using time_point = std::chrono::time_point<Clock, duration>;
  static constexpr bool is_steady = true;
};

using Duration = Clock::duration;
using TimePoint = Clock::time_point;

// `wait` after `now`, or the end of time if that would be later: Duration::max() never ends.
[[nodiscard]] constexpr TimePoint after(TimePoint now, Duration wait) noexcept {
  const bool is_never = wait > Duration::zero() && now > TimePoint::max() - wait;
  return is_never ? TimePoint::max() : now + wait;
}

}  // namespace lockstep
