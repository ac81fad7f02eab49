// How sessions come, move, expire and end.
#include <gtest/gtest.h>

#include <optional>

#include "server_by_hand.h"
#include "support/by_hand.h"

namespace lockstep::fakezk {
namespace {

using namespace unit;

class ServerSessionsTest : public TwoSessionsTest {};

TEST_F(ServerSessionsTest, TimeoutIsClampedToTicks) {
  const auto granted = [&](Duration asked) { return zk_.handshake(zk_.open(asked)).timeout; };
  EXPECT_EQ(granted(0s), 4s);
  EXPECT_EQ(granted(-5s), 4s);
  EXPECT_EQ(granted(3999ms), 4s);
  EXPECT_EQ(granted(4001ms), 4001ms);
  EXPECT_EQ(granted(39s), 39s);
  EXPECT_EQ(granted(41s), 40s);
  ServerByHand quick(ServerOptions{500ms});
  EXPECT_EQ(quick.handshake(quick.open(1ms)).timeout, 1s);
  EXPECT_EQ(quick.handshake(quick.open(1h)).timeout, 10s);
}

// A session ends with its bucket: at most one tick after its timeout.
TEST_F(ServerSessionsTest, ExpiryComesAtTheNextTickAfterTheTimeout) {
  const auto expires_after = [&](TimePoint silence) {
    return zk_.server.expiry_time(0, silence) - silence;
  };
  EXPECT_EQ(expires_after(TimePoint(0s)), 12s);
  EXPECT_EQ(expires_after(TimePoint(1ns)), 12s - 1ns);
  EXPECT_EQ(expires_after(TimePoint(2s - 1ns)), 10s + 1ns);
  EXPECT_EQ(expires_after(TimePoint(2s)), 12s);
}

TEST_F(ServerSessionsTest, SilentSessionExpiresAtItsBucketNotBefore) {
  zk_.create(a_, "/e", CreateMode::kEphemeral);
  zk_.now += 1s;
  zk_.cut(a_);
  zk_.pass(11s - 1ns);
  EXPECT_TRUE(zk_.server.session_alive(zk_.session(a_)));
  EXPECT_TRUE(zk_.server.closing().empty());
  zk_.pass(1ns);
  EXPECT_FALSE(zk_.server.session_alive(zk_.session(a_)));
  EXPECT_EQ(zk_.server.closing().size(), 1U);
}

TEST_F(ServerSessionsTest, ReconnectingNegotiatesTheTimeoutAgain) {
  zk_.cut(a_);
  Handshake handshake = zk_.handshake(a_);
  handshake.timeout = 20s;
  EXPECT_EQ(zk_.greet(a_, handshake).welcome->timeout, 20s);
  zk_.cut(a_);
  handshake.timeout = 1s;
  EXPECT_EQ(zk_.greet(a_, handshake).welcome->timeout, 4s);
}

TEST_F(ServerSessionsTest, ExpiryHappensInThreeStages) {
  zk_.create(b_, "/e", CreateMode::kEphemeral);
  zk_.watch(a_, OpCode::kGetData, "/e");
  zk_.server.decide_expiry(1);
  // 1. The end is decided: the session's requests are dropped, its ephemerals still exist.
  zk_.send(b_, Request(OpCode::kCreate, "/late"));
  zk_.server.apply(b_, zk_.now);
  EXPECT_TRUE(zk_.network[b_].inbox.empty());
  EXPECT_EQ(error_of(zk_.read(a_, OpCode::kExists, "/late")), Error::kNoNode);
  EXPECT_EQ(error_of(zk_.read(a_, OpCode::kExists, "/e")), std::nullopt);
  EXPECT_TRUE(zk_.events(a_).empty());
  // 2. It is done: the ephemerals are deleted, and the connection ends without a message.
  zk_.server.finish_close(1, zk_.now);
  EXPECT_EQ(zk_.events(a_), Events{"deleted /e"});
  ASSERT_EQ(zk_.network[b_].inbox.size(), 1U);
  EXPECT_EQ(zk_.network[b_].inbox[0].kind, ServerMessage::Kind::kConnectionEnded);
  // 3. The client learns of it when it reconnects.
  EXPECT_EQ(zk_.greet(b_, zk_.handshake(b_)).kind, ServerMessage::Kind::kSessionExpired);
  EXPECT_TRUE(zk_.server.closing().empty());
}

TEST_F(ServerSessionsTest, ReconnectingAfterTheDecisionIsTooLate) {
  zk_.cut(a_);
  zk_.server.decide_expiry(0);
  EXPECT_EQ(zk_.greet(a_, zk_.handshake(a_)).kind, ServerMessage::Kind::kSessionExpired);
  EXPECT_FALSE(zk_.network[a_].open);
  zk_.server.finish_close(0, zk_.now);
  EXPECT_EQ(zk_.greet(a_, zk_.handshake(a_)).kind, ServerMessage::Kind::kSessionExpired);
}

TEST_F(ServerSessionsTest, ExpiryIsDecidedOnce) {
  zk_.server.decide_expiry(0);
  zk_.server.decide_expiry(0);
  EXPECT_EQ(zk_.server.closing().size(), 1U);
  zk_.server.finish_close(0, zk_.now);
  zk_.server.decide_expiry(0);
  EXPECT_TRUE(zk_.server.closing().empty());
}

TEST_F(ServerSessionsTest, AnIdThatWasNeverGivenOpensNoSession) {
  zk_.cut(a_);
  Handshake unknown = zk_.handshake(b_);
  unknown.session_id += 1;
  EXPECT_EQ(zk_.greet(a_, unknown).kind, ServerMessage::Kind::kSessionExpired);
  EXPECT_TRUE(zk_.server.session_alive(zk_.session(b_)));
}

TEST_F(ServerSessionsTest, SessionMovesToTheLinkThatTakesItOver) {
  zk_.create(a_, "/e", CreateMode::kEphemeral);
  const LinkIndex c = zk_.open();
  zk_.network.disconnect(c, 0, Error::kConnectionLoss);
  EXPECT_EQ(zk_.greet(c, zk_.handshake(a_)).welcome->session_id, zk_.session(a_));
  EXPECT_FALSE(zk_.network[a_].open);  // The old connection is closed,
  EXPECT_EQ(zk_.server.session_of(a_), Server::kNoSession);
  EXPECT_EQ(zk_.server.session_of(c), 0U);
  zk_.pass(1h);  // and its end is not the session's.
  EXPECT_EQ(zk_.stat(c, "/e").ephemeral_owner, zk_.session(a_));
}

TEST_F(ServerSessionsTest, CloseIsAnsweredBeforeTheConnectionEnds) {
  zk_.create(a_, "/e", CreateMode::kEphemeral);
  zk_.send(a_, Request(OpCode::kClose, Path()));
  zk_.server.apply(a_, zk_.now);
  EXPECT_EQ(error_of(zk_.read(b_, OpCode::kExists, "/e")), Error::kNoNode);
  ASSERT_EQ(zk_.network[a_].inbox.size(), 2U);
  EXPECT_EQ(zk_.network[a_].inbox[0].op, OpCode::kClose);
  EXPECT_EQ(zk_.network[a_].inbox[1].kind, ServerMessage::Kind::kConnectionEnded);
  EXPECT_FALSE(zk_.server.session_alive(zk_.session(a_)));
  EXPECT_TRUE(zk_.timers.empty());
}

TEST_F(ServerSessionsTest, ResetForgetsEverything) {
  zk_.create(a_, "/a", CreateMode::kEphemeral);
  zk_.watch(b_, OpCode::kGetData, "/a");
  zk_.cut(a_);
  zk_.server.decide_expiry(1);
  zk_.network.reset();
  zk_.server.reset(zk_.paths);
  EXPECT_TRUE(zk_.timers.empty());
  EXPECT_TRUE(zk_.server.closing().empty());
  EXPECT_TRUE(zk_.server.history().empty());
  EXPECT_EQ(zk_.server.session_count(), 0U);
  EXPECT_EQ(zk_.server.last_zxid(), 0);
  const LinkIndex fresh = zk_.open();
  EXPECT_EQ(error_of(zk_.read(fresh, OpCode::kExists, "/a")), Error::kNoNode);
  EXPECT_EQ(zk_.create(fresh, "/n-", CreateMode::kPersistentSequential).path, "/n-0000000000");
  zk_.create(fresh, "/a");
  zk_.set_data(fresh, "/a", "x");
  EXPECT_TRUE(zk_.events(fresh).empty());
}

}  // namespace
}  // namespace lockstep::fakezk
