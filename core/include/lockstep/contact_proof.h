#pragma once

#include <optional>
#include <vector>

#include "lockstep/clock.h"

namespace lockstep {

// Until when a session is provably alive, judged by its client alone. Told of requests that the
// leader orders (writes and sync) and that were answered: each touches the session on the server
// that the client is connected to, and that server passes the touch on to the leader within half a
// tick (ZooKeeper, LearnerHandler). So a request proves that the leader had the session alive when
// it was sent only once another one, sent a quarter of the session timeout later, has been answered
// too: the shortest session timeout is two ticks. Reads, pings and watch events prove nothing.
class ContactProof {
 public:
  // How far two clocks that count the same session timeout may drift apart, in parts of it: the
  // proof ends that much earlier.
  static constexpr int kDriftParts = 50;

  // `session_timeout` as negotiated.
  explicit ContactProof(Duration session_timeout) : session_timeout_(session_timeout) {}

  // A request that was sent at `sent`, not earlier than any before, has been answered.
  void answered(TimePoint sent);
  // The server cannot have expired the session before; none if nothing is proven yet.
  [[nodiscard]] std::optional<TimePoint> valid_until() const;

 private:
  Duration session_timeout_;
  std::optional<TimePoint> proven_;
  std::vector<TimePoint> unproven_;  // In the order in which they were sent.
};

}  // namespace lockstep
