#include "lockstep/client.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "conformance/conformance.h"
#include "support/session_waits.h"

namespace lockstep::conformance {

CONFORMANCE_TEST(AClientKeepsItsSessionWhileThatLives) {
  Client& client = lab.add_client(Lab::kLongSessionTimeout);
  const auto first = must(co_await client.session(Context()), "session");
  const auto second = must(co_await client.session(Context()), "session");
  EXPECT_EQ(first, second);
  EXPECT_EQ(first->state(), SessionState::kConnected);
  EXPECT_EQ(&first->executor(), &client.executor());
}

CONFORMANCE_TEST(AClientWaitsUntilItsSessionIsConnectedAgain) {
  Client& client = lab.add_client(Lab::kLongSessionTimeout);
  const auto first = must(co_await client.session(Context()), "session");
  co_await lab.disconnect(*first);
  const TimePoint soon = lab.executor().now() + std::chrono::milliseconds(10);
  EXPECT_EQ(error_of(co_await client.session(soon)), Error::kNotConnected);
  co_await lab.reconnect(*first);
  const auto again = must(co_await client.session(Context()), "session");
  EXPECT_EQ(again, first);
}

CONFORMANCE_TEST(AClientOpensANewSessionAfterAnExpiry) {
  Client& client = lab.add_client(Lab::kLongSessionTimeout);
  const auto first = must(co_await client.session(Context()), "session");
  const SessionId first_id = first->id();
  co_await lab.kill(*first);
  co_await support::StateReached(*first, SessionState::kExpired);
  const auto second = must(co_await client.session(Context()), "session");
  EXPECT_NE(second, first);
  EXPECT_NE(second->id(), first_id);
  EXPECT_EQ(second->state(), SessionState::kConnected);
  EXPECT_EQ(first->state(), SessionState::kExpired);
  must(co_await second->exists("/"), "exists");
}

CONFORMANCE_TEST(AClientThatWaitsForASessionThatHasExpiredGetsTheNextOne) {
  Client& client = lab.add_client(Lab::kLongSessionTimeout);
  const auto first = must(co_await client.session(Context()), "session");
  const SessionId first_id = first->id();
  const auto other = co_await lab.open();
  co_await lab.disconnect(*first);
  std::shared_ptr<Session> waited_for;
  const auto open = [](Client& from, std::shared_ptr<Session>& into) -> Task<void> {
    into = must(co_await from.session(Context()), "session");
  };
  other->in_background(open(client, waited_for));
  co_await lab.kill(*first);
  const auto second = must(co_await client.session(Context()), "session");
  co_await settle(*other, "/");
  EXPECT_EQ(waited_for, second);
  EXPECT_NE(second->id(), first_id);
  EXPECT_EQ(first->state(), SessionState::kExpired);
}

CONFORMANCE_TEST(AClientOpensANewSessionAfterAClose) {
  Client& client = lab.add_client(Lab::kLongSessionTimeout);
  const auto first = must(co_await client.session(Context()), "session");
  must(co_await first->close(), "close");
  const auto second = must(co_await client.session(Context()), "session");
  EXPECT_NE(second, first);
  EXPECT_EQ(first->state(), SessionState::kClosed);
}

CONFORMANCE_TEST(TwoCallersGetTheSameNewSession) {
  Client& client = lab.add_client(Lab::kLongSessionTimeout);
  const auto other = co_await lab.open();
  std::shared_ptr<Session> in_background;
  const auto open = [](Client& from, std::shared_ptr<Session>& into) -> Task<void> {
    into = must(co_await from.session(Context()), "session");
  };
  other->in_background(open(client, in_background));
  const auto session = must(co_await client.session(Context()), "session");
  co_await settle(*other, "/");
  EXPECT_EQ(in_background, session);
}

}  // namespace lockstep::conformance
