#pragma once

#include "lockstep/clock.h"
#include "lockstep/random.h"

namespace lockstep::zookeeper {

// How long to wait before the next attempt: exponential with full jitter (RetryPolicy).
class Backoff {
 public:
  Backoff(Duration base, Duration longest) : base_(base), longest_(longest), ceiling_(base) {}

  // Draws a wait between zero and the ceiling, which doubles each time up to the longest wait.
  [[nodiscard]] Duration next(Random& random);
  void reset() { ceiling_ = base_; }

 private:
  Duration base_;
  Duration longest_;
  Duration ceiling_;
};

}  // namespace lockstep::zookeeper
