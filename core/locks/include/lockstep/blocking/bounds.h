#pragma once

#include "lockstep/clock.h"

namespace lockstep::blocking {

// The longest waits of a blocking lock's functions that take no time of their own.
class Bounds {
 public:
  Bounds() = default;

  // How long unlock() and release() wait for ZooKeeper's answer, including on a lost or stalled
  // connection. After that the deletion goes on in the background, as long as the session lives,
  // and release() returns ReleaseOutcome::kUnknown. Zero: they do not wait.
  Duration release_patience = std::chrono::seconds(1);
  // How long the try_ functions without a duration wait for the connection and ZooKeeper's answers;
  // they never wait for a contender.
  Duration try_patience = std::chrono::seconds(10);
};

}  // namespace lockstep::blocking
