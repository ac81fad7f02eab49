#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "lockstep/clock.h"

namespace lockstep {

// Computes until when a session is provably alive, from what its client sees: handshakes, and
// answers to requests that the leader orders (writes and sync). A handshake is a proof by itself:
// the leader opens the session, or accepts its touch, first. A request touches the session
// on the server that the client is connected to, and that server passes the touch on to the leader
// within half a tick (ZooKeeper, LearnerHandler). A request therefore proves that the leader
// considered the session alive at its sending only once another one, sent a quarter of the session
// timeout later on the same connection, has been answered too: the shortest session timeout is two
// ticks. Reads, pings and watch events prove nothing.
class ContactProof {
 public:
  // The allowed drift between two clocks that measure the same session timeout, as 1 / kDriftParts
  // of it: the proof ends that much earlier.
  static constexpr int kDriftParts = 50;

  // A handshake sent at `sent` or later has made a connection and negotiated `session_timeout`,
  // which may differ from the previous one.
  void opened(TimePoint sent, Duration session_timeout);
  // A request has been answered; `sent` is not earlier than those of the requests before.
  void answered(TimePoint sent);

  // The server cannot expire the session before this time; none before the first handshake.
  [[nodiscard]] std::optional<TimePoint> valid_until() const;
  // The last negotiated timeout; zero before the first handshake.
  [[nodiscard]] Duration session_timeout() const { return session_timeout_; }
  // The sending time of the latest answered request.
  [[nodiscard]] TimePoint newest() const { return newest_; }
  // From this time on, a new request extends the proof once it is answered; none if another request
  // has to be answered first.
  [[nodiscard]] std::optional<TimePoint> provable_from() const;
  // The end of a proof by a request sent at `sent`.
  [[nodiscard]] TimePoint reach(TimePoint sent) const {
    return sent + session_timeout_ - session_timeout_ / kDriftParts;
  }

 private:
  // One of several requests in quick succession is kept: one for each 32nd part of the session
  // timeout.
  static constexpr int kSpacingParts = 32;
  static constexpr std::size_t kMost = kSpacingParts / 4 + 2;

  void take_first();

  Duration session_timeout_{};
  TimePoint proven_{};
  TimePoint newest_{};
  std::array<TimePoint, kMost>
      unproven_;  // in the order of sending; only the first count_ are valid
  std::size_t count_ = 0;
};

}  // namespace lockstep
