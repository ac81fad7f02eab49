#include <gtest/gtest.h>

#include <memory>

#include "conformance/conformance.h"
#include "support/session_waits.h"

// Two clients with one session.
namespace lockstep::conformance {

using support::StateReached;

CONFORMANCE_TEST(Z60AClientWithThePasswordTakesTheSessionOver) {
  const auto owner = co_await lab.open();
  const Path path = lab.parent() / "e";
  co_await create(*owner, path, Data(), CreateMode::kEphemeral);
  co_await lab.disconnect(*owner);
  Client& client = lab.attach_client(*owner, Lab::Password::kRight, Lab::kLongSessionTimeout);
  const auto attached = must(co_await client.session(Context()), "attach");
  EXPECT_NE(attached, owner);
  EXPECT_EQ(attached->id(), owner->id());
  const Stat stat = co_await stat_of(*attached, path);
  EXPECT_EQ(stat.ephemeral_owner, attached->id());
  const Created another =
      co_await create(*attached, lab.parent() / "f", Data(), CreateMode::kEphemeral);
  EXPECT_EQ(another.stat.ephemeral_owner, owner->id());
}

CONFORMANCE_TEST(Z60TheTimeoutIsNegotiatedAgain) {
  const auto owner = co_await lab.open();
  EXPECT_EQ(owner->timeout(), Lab::kLongSessionTimeout);
  co_await lab.disconnect(*owner);
  Client& client = lab.attach_client(*owner, Lab::Password::kRight, Lab::kLongSessionTimeout / 2);
  const auto attached = must(co_await client.session(Context()), "attach");
  EXPECT_EQ(attached->timeout(), Lab::kLongSessionTimeout / 2);
}

CONFORMANCE_TEST(Z60TheOldConnectionIsClosed) {
  const auto owner = co_await lab.open();
  StateReached lost(*owner, SessionState::kSuspended);
  Client& client = lab.attach_client(*owner, Lab::Password::kRight, Lab::kLongSessionTimeout);
  must(co_await client.session(Context()), "attach");
  co_await lost;
}

CONFORMANCE_TEST(Z60AWrongPasswordIsAnExpiredSession) {
  const auto owner = co_await lab.open();
  const Path path = lab.parent() / "e";
  co_await create(*owner, path, Data(), CreateMode::kEphemeral);
  Client& client = lab.attach_client(*owner, Lab::Password::kWrong, Lab::kLongSessionTimeout);
  EXPECT_EQ(error_of(co_await client.session(Context())), Error::kSessionExpired);
  must(co_await owner->connected(), "connected");
  const auto stat = co_await owner->exists(path);
  if (error_of(stat) != Error::kConnectionLoss) {
    EXPECT_EQ(error_of(stat), std::nullopt);
  }
}

// A client that knows only the id can disconnect the owner, but nothing more.
CONFORMANCE_TEST(Z60AWrongPasswordDisconnectsTheRightClient) {
  const auto owner = co_await lab.open();
  const SessionId id = owner->id();
  const Path path = lab.parent() / "e";
  co_await create(*owner, path, Data(), CreateMode::kEphemeral);
  StateReached lost(*owner, SessionState::kSuspended);
  Client& client = lab.attach_client(*owner, Lab::Password::kWrong, Lab::kLongSessionTimeout);
  static_cast<void>(co_await client.session(Context()));
  co_await lost;
  must(co_await owner->connected(), "connected");
  EXPECT_EQ(owner->id(), id);
  EXPECT_EQ((co_await stat_of(*owner, path)).ephemeral_owner, id);
}

CONFORMANCE_TEST(Z60ASessionThatIsOverCannotBeAttachedTo) {
  const auto owner = co_await lab.open();
  must(co_await owner->close(), "close");
  Client& client = lab.attach_client(*owner, Lab::Password::kRight, Lab::kLongSessionTimeout);
  EXPECT_EQ(error_of(co_await client.session(Context())), Error::kSessionExpired);
}

// The two clients do not steal the session from each other forever: on a real server, two
// simultaneous handshakes may leave both connections open, and then both clients share the session.
CONFORMANCE_TEST(Z61AClientThatComesBackStealsTheSessionAgain) {
  const auto one = co_await lab.open();
  co_await lab.disconnect(*one);
  Client& client = lab.attach_client(*one, Lab::Password::kRight, Lab::kLongSessionTimeout);
  const auto two = must(co_await client.session(Context()), "attach");
  StateReached lost(*two, SessionState::kSuspended);
  co_await lab.reconnect(*one);
  co_await lost;
  must(co_await two->connected(), "connected");
  EXPECT_EQ(one->id(), two->id());
}

CONFORMANCE_TEST_IN_TWO_SESSIONS(Z61WhenOneOfTwoClosesTheOtherIsExpired, one, other) {
  const Path path = lab.parent() / "e";
  co_await create(one, path, Data(), CreateMode::kEphemeral);
  StateReached expired(one, SessionState::kExpired);
  co_await lab.kill(one);
  co_await expired;
  EXPECT_EQ(error_of(co_await other.exists(path)), Error::kNoNode);
}

}  // namespace lockstep::conformance
