#pragma once

#include <chrono>
#include <optional>

#include "lockstep/clock.h"

namespace lockstep::zookeeper {

// How long a client waits between rounds, once every server of its list has failed, and when it
// gives up.
//
// The first wait is drawn evenly from zero to base_delay, and the range doubles with each wait, up
// to longest_delay ("full jitter"), so that clients that lost their servers together do not come
// back together. A connection that works, or another list of servers, begins again with the first.
// With a base_delay or a longest_delay of zero no wait is ever longer than that: a client without a
// server then asks all of them all the time, and takes a processor. That is for tests.
//
// Giving up ends the session: its state becomes kExpired, listeners are notified, and the next
// Client::session() opens another one. The servers may still have the old session until its timeout
// has passed on their clocks: its locks pass on no sooner than that.
class RetryPolicy {
 public:
  static constexpr Duration kNever = Duration::max();

  // The default: tries to open a session until the context ends; gives up a session that has lost
  // its connection for three session timeouts, and for 30 seconds at least. By then the servers
  // have forgotten it, unless all of them were away: they restart every session timeout when they
  // come back. Without this, a client whose ensemble was rebuilt with empty data would be refused
  // on every attempt, because it has seen a later zxid than any of the servers.
  RetryPolicy() = default;

  // Gives up after `elapsed` without a connection, whether the session was ever connected or not.
  [[nodiscard]] static RetryPolicy bounded(Duration elapsed) {
    RetryPolicy policy;
    policy.give_up_opening_after = elapsed;
    policy.give_up_session_after = elapsed;
    return policy;
  }
  // Never gives up. A rebuilt ensemble then needs a restart of this process.
  [[nodiscard]] static RetryPolicy forever() { return bounded(kNever); }
  // Tries every server once each time there is no connection.
  [[nodiscard]] static RetryPolicy none() { return bounded(Duration(0)); }

  Duration base_delay = std::chrono::milliseconds(50);
  Duration longest_delay = std::chrono::seconds(1);
  Duration give_up_opening_after = kNever;
  // Unset: see the default constructor.
  std::optional<Duration> give_up_session_after;
};

}  // namespace lockstep::zookeeper
