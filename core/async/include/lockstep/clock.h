#pragma once

#include <chrono>
#include <cstdint>

namespace lockstep {

// The library's clock: monotone, nanoseconds, with an epoch that means nothing. An Executor tells
// what time it is on this clock: steady time in production, virtual time in a simulation. It
// meets the standard's Clock requirements except that `now` needs an executor to ask.
struct Clock {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = std::chrono::duration<rep, period>;
  using time_point = std::chrono::time_point<Clock, duration>;
  static constexpr bool is_steady = true;
};

using Duration = Clock::duration;
using TimePoint = Clock::time_point;

}  // namespace lockstep
