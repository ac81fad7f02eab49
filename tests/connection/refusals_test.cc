// Writes that the leader refuses before it looks at their session, and requests for a session whose
// end is decided.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "lockstep/fakezk/chooser.h"
#include "wire_client.h"

namespace lockstep::connection {
namespace {

using namespace std::string_literals;
using wire::Op;

constexpr fakezk::ReplicaIndex kFar = 1;

// A connection whose session has moved to another server.
class MovedSessionTest : public ::testing::Test {
 protected:
  MovedSessionTest() {
    world_.network()[before_.connection().link()].goes_to = kFar;
    world_.network()[after_.connection().link()].goes_to = 0;
    wire::ConnectRequest greeting = WireClient::greeting();
    const wire::ConnectResponse welcome = before_.connect(greeting);
    greeting.session = welcome.session;
    greeting.password = welcome.password;
    after_.connect(greeting);
  }

  // The error of the reply; none if the connection ends instead.
  std::optional<std::int32_t> error_of(const wire::Request& request) {
    return error_of_bytes(wire::encode(request));
  }
  std::optional<std::int32_t> error_of_bytes(std::string_view frame) {
    before_.send(WireClient::framed(frame));
    const std::vector<std::string> frames = before_.settled();
    if (frames.empty()) return std::nullopt;
    EXPECT_FALSE(before_.connection().closed());
    return wire::decode_reply(Op::kPing, frames.front()).value().err;
  }
  static wire::Request multi(std::vector<wire::MultiOp> ops) {
    return {.xid = 1, .op = Op::kMulti, .body = wire::MultiRequest{std::move(ops)}};
  }

  fakezk::World world_{{.replicas = 3}};
  WireClient before_{world_};
  WireClient after_{world_};
};

// PrepRequestProcessor.pRequest2TxnCreate and pRequest2Txn; seen on an ensemble of 3.8.0.
TEST_F(MovedSessionTest, SomeRefusalsLookAtNoSession) {
  EXPECT_EQ(error_of(create(1, "/a", 77)), -8);
  EXPECT_EQ(error_of({.xid = 1, .op = Op::kReconfig, .body = wire::ReconfigRequest{}}), -123);
  EXPECT_EQ(error_of(plain(1, Op::kDeleteContainer)), -8);
  EXPECT_EQ(error_of(multi({})), 0);
  EXPECT_EQ(error_of(multi({{.op = Op::kCreate, .body = wire::CreateRequest()}})), -5);
  EXPECT_EQ(error_of_bytes("\0\0\0\1\0\0\0\1\0\0"s), -5);    // A create.
  EXPECT_EQ(error_of_bytes("\0\0\0\1\0\0\0\x0e\0\0"s), -5);  // A multi.
}

TEST_F(MovedSessionTest, AMultiFailsWithTheFlagsOfItsFirstCreate) {
  wire::CreateRequest flags = std::get<wire::CreateRequest>(create(1, "/a", 77).body);
  before_.send(multi({{.op = Op::kCreate, .body = flags}}));
  const std::vector<std::string> frames = before_.settled();
  ASSERT_EQ(frames.size(), 1U);
  const wire::Reply reply = wire::decode_reply(Op::kMulti, frames.front()).value();
  EXPECT_EQ(reply.err, 0);
  EXPECT_EQ(std::get<wire::MultiReply>(reply.body).results.at(0).err, -8);
}

TEST_F(MovedSessionTest, ADeleteThatCannotBeReadEndsTheConnection) {
  EXPECT_EQ(error_of_bytes("\0\0\0\1\0\0\0\2\0\0"s), std::nullopt);
  EXPECT_TRUE(before_.connection().closed());
}

TEST_F(MovedSessionTest, ANullPathOfACreateEndsTheConnection) {
  wire::CreateRequest null = std::get<wire::CreateRequest>(create(1, "/a").body);
  null.path.reset();
  EXPECT_EQ(error_of({.xid = 1, .op = Op::kCreate, .body = null}), std::nullopt);
  EXPECT_TRUE(before_.connection().closed());
}

TEST_F(MovedSessionTest, TheFlagsOfALaterCreateDoNotHelpAMulti) {
  wire::CreateRequest good = std::get<wire::CreateRequest>(create(1, "/a").body);
  wire::CreateRequest flags = good;
  flags.flags = 77;
  EXPECT_EQ(
      error_of(multi({{.op = Op::kCreate, .body = good}, {.op = Op::kCreate, .body = flags}})),
      std::nullopt);
  EXPECT_TRUE(before_.connection().closed());
}

// A chooser by which the server answers requests for a session whose end is decided.
class Answers final : public fakezk::Chooser {
 public:
  fakezk::Choice next(const fakezk::Menu&) override { return {}; }
  std::uint32_t number(std::uint32_t options) override { return options - 1; }
};

// PrepRequestProcessor.pRequestHelper checks the session of setWatches as of any read.
TEST_F(ClientConnectionTest, AClosingSessionSetsNoWatches) {
  const wire::ConnectResponse session = client_.connect();
  world_.servers().decide_expiry(world_.server().sessions().find(session.session));
  wire::SetWatches watches;
  for (auto* const list : {&watches.data, &watches.exist, &watches.child}) list->emplace();
  watches.exist->emplace_back("/a");
  client_.send({.xid = wire::kSetWatchesXid, .op = Op::kSetWatches, .body = watches});
  Answers answers;
  while (client_.connection().unanswered() > 0 && world_.step_without_time(answers)) {
  }
  const std::vector<std::string> frames = client_.arrived();
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(wire::decode_reply(Op::kSetWatches, frames.front()).value().err, -112);
  EXPECT_FALSE(world_.server().replica(0).data_watches().any());
}

}  // namespace
}  // namespace lockstep::connection
