#include <gtest/gtest.h>

#include <chrono>

#include "conformance/conformance.h"
#include "lockstep/sleep.h"

namespace lockstep::conformance {

namespace {

Task<Duration> negotiated(Lab& lab, Duration wanted) {
  const auto session = co_await lab.open(wanted);
  co_return session->timeout();
}

}  // namespace

CONFORMANCE_TEST(Z56TheServerLimitsTheSessionTimeout) {
  const Duration least = lab.min_session_timeout();
  const Duration most = lab.max_session_timeout();
  EXPECT_EQ(co_await negotiated(lab, least * 3 / 4), least);
  const Duration exact = co_await negotiated(lab, least + std::chrono::milliseconds(1));
  EXPECT_EQ(exact, least + std::chrono::milliseconds(1));
  EXPECT_EQ(co_await negotiated(lab, most + std::chrono::milliseconds(1)), most);
}

// The server checks its sessions once per tick.
CONFORMANCE_TEST(Z57ASilentSessionLivesForItsTimeoutAndExpiresWithinATick) {
  const auto victim = co_await lab.open(Lab::kShortSessionTimeout);
  const auto other = co_await lab.open();
  const Path path = lab.parent() / "e";
  co_await create(*victim, path, Data(), CreateMode::kEphemeral);
  const Watch watch = co_await watch_exists(*other, path);
  const TimePoint before = lab.executor().now();
  must(co_await victim->sync(path), "sync");  // Any request keeps the session alive.
  co_await lab.expire(*victim);
  const TimePoint after = lab.executor().now();
  EXPECT_EQ((co_await event_of(watch)).type(), EventType::kDeleted);
  EXPECT_GT(after, before + victim->timeout());
  EXPECT_LE(after, before + victim->timeout() + lab.tick_time() + lab.lateness());
}

// A reconnect before the timeout is enough.
CONFORMANCE_TEST(Z57AReconnectKeepsTheSessionAlive) {
  const auto session = co_await lab.open(2 * Lab::kShortSessionTimeout);
  const auto other = co_await lab.open();
  const Path path = lab.parent() / "e";
  co_await create(*session, path, Data(), CreateMode::kEphemeral);
  const TimePoint before = lab.executor().now();
  while (lab.executor().now() < before + session->timeout() * 3 / 2) {
    co_await lab.disconnect(*session);
    must(co_await sleep_for(lab.executor(), session->timeout() / 10), "sleep");
    co_await lab.reconnect(*session);
    must(co_await sleep_for(lab.executor(), session->timeout() / 10), "sleep");
  }
  EXPECT_EQ((co_await stat_of(*other, path)).ephemeral_owner, session->id());
}

}  // namespace lockstep::conformance
