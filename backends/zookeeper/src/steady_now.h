#pragma once

#include <chrono>

#include "lockstep/clock.h"

namespace lockstep::zookeeper {

// The clock of Runtime::now(), on any thread.
[[nodiscard]] inline TimePoint steady_now() {
  return TimePoint(
      std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
}

}  // namespace lockstep::zookeeper
