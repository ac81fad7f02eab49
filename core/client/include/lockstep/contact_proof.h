#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "lockstep/clock.h"

namespace lockstep {

// Until when a session is provably alive, judged by its client alone. Told of handshakes, and of
// requests that the leader orders (writes and sync) and that were answered. A handshake is a proof
// by itself: the leader opens the session, or takes its touch, before it is answered. A request
// touches the session on the server that the client is connected to, and that server passes the
// touch on to the leader within half a tick (ZooKeeper, LearnerHandler). So a request proves that
// the leader had the session alive when it was sent only once another one, sent a quarter of the
// session timeout later on the same connection, has been answered too: the shortest session timeout
// is two ticks. Reads, pings and watch events prove nothing.
class ContactProof {
 public:
  // How far two clocks that count the same session timeout may drift apart, in parts of it: the
  // proof ends that much earlier.
  static constexpr int kDriftParts = 50;

  // A connection was made by a handshake that was sent at `sent` or later. `session_timeout` is
  // what it negotiated, which may be another one than before.
  void opened(TimePoint sent, Duration session_timeout);
  // A request that was sent at `sent`, not earlier than any before, has been answered.
  void answered(TimePoint sent);

  // The server cannot have expired the session before; none until a handshake was told.
  [[nodiscard]] std::optional<TimePoint> valid_until() const;
  // As negotiated last; zero until a handshake was told.
  [[nodiscard]] Duration session_timeout() const { return session_timeout_; }
  // When the latest that was answered had been sent.
  [[nodiscard]] TimePoint newest() const { return newest_; }
  // From when on another request, once it is answered, proves more than is proven now; none if one
  // has to be answered first.
  [[nodiscard]] std::optional<TimePoint> provable_from() const;
  // `sent`, moved on by as much as a proof reaches.
  [[nodiscard]] TimePoint reach(TimePoint sent) const {
    return sent + session_timeout_ - session_timeout_ / kDriftParts;
  }

 private:
  // Requests in quick succession: one is kept for each 32nd part of the session timeout.
  static constexpr int kSpacingParts = 32;
  static constexpr std::size_t kMost = kSpacingParts / 4 + 2;

  void take_first();

  Duration session_timeout_{};
  TimePoint proven_{};
  TimePoint newest_{};
  std::array<TimePoint, kMost>
      unproven_;  // In the order in which they were sent: the first count_.
  std::size_t count_ = 0;
};

}  // namespace lockstep
