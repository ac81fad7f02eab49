#pragma once

#include "lockstep/clock.h"

namespace lockstep::blocking {

// How long the functions of a blocking lock may take that are given no time of their own.
class Bounds {
 public:
  Bounds() = default;

  // What unlock() and release() wait for ZooKeeper's answer, on a connection that is lost or stalls
  // too. Then the deletion goes on in the background, as long as the session lives, and release()
  // says ReleaseOutcome::kUnknown. Zero: they wait for no answer.
  Duration release_patience = std::chrono::seconds(1);
  // What the try_ functions without a duration wait, for the connection and ZooKeeper's answers:
  // never for a contender.
  Duration try_patience = std::chrono::seconds(10);
};

}  // namespace lockstep::blocking
