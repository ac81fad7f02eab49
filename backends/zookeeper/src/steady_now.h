#pragma once

#include <chrono>

#include "lockstep/clock.h"

namespace lockstep::zookeeper {

// The time of Runtime::now(), for any thread.
[[nodiscard]] inline TimePoint steady_now() {
  return TimePoint(
      std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
}

}  // namespace lockstep::zookeeper
