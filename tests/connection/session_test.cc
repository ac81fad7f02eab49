// How sessions begin, end and move over connections in bytes.
#include <gtest/gtest.h>

#include "wire_client.h"

namespace lockstep::connection {
namespace {

constexpr int kNoNode = -101;

wire::ConnectRequest again(const wire::ConnectResponse& session) {
  wire::ConnectRequest request = WireClient::greeting();
  request.session = session.session;
  request.password = session.password;
  return request;
}

TEST_F(ClientConnectionTest, EstablishesASession) {
  const wire::ConnectResponse response = client_.connect();
  EXPECT_NE(response.session, 0);
  EXPECT_EQ(response.timeout_ms, 10000);
  EXPECT_EQ(response.password->size(), 16U);
  EXPECT_EQ(response.read_only, false);
  EXPECT_EQ(client_.connection().session_id(), response.session);
  EXPECT_FALSE(client_.connection().closed());
}

TEST_F(ClientConnectionTest, AnOldClientGetsNoReadOnlyFlag) {
  wire::ConnectRequest old = WireClient::greeting();
  old.read_only.reset();
  EXPECT_EQ(client_.connect(old).read_only, std::nullopt);
}

TEST_F(ClientConnectionTest, ASessionComesBackWithItsPassword) {
  const wire::ConnectResponse session = client_.connect();
  client_.ask(create(1, "/e", 1));
  client_.connection().hang_up();

  WireClient second(world_);
  const wire::ConnectResponse response = second.connect(again(session));
  EXPECT_EQ(response.session, session.session);
  EXPECT_EQ(response.password, session.password);
  EXPECT_EQ(second.ask(read(1, wire::Op::kExists, "/e")).err, 0);
}

// Every byte of the password counts.
TEST_F(ClientConnectionTest, AWrongPasswordGetsSessionZeroAndTheClose) {
  const wire::ConnectResponse session = client_.connect();
  for (std::size_t i = 0; i < 16; ++i) {
    wire::ConnectRequest request = again(session);
    (*request.password)[i] ^= 1;
    WireClient other(world_);
    const wire::ConnectResponse response = other.connect(request);
    EXPECT_EQ(response.session, 0);
    EXPECT_EQ(response.timeout_ms, 0);
    EXPECT_EQ(response.password, std::string(16, '\0'));
    EXPECT_TRUE(other.connection().closed());
  }
}

TEST_F(ClientConnectionTest, AClosedSessionDoesNotComeBack) {
  const wire::ConnectResponse session = client_.connect();
  client_.ask(create(1, "/e", 1));
  const wire::Reply closed = client_.ask(plain(2, wire::Op::kCloseSession));
  EXPECT_EQ(closed.xid, 2);
  EXPECT_EQ(closed.err, 0);
  EXPECT_TRUE(client_.connection().closed());

  WireClient second(world_);
  EXPECT_EQ(second.connect(again(session)).session, 0);
  WireClient third(world_);
  third.connect();
  EXPECT_EQ(third.ask(read(1, wire::Op::kExists, "/e")).err, kNoNode);
}

TEST_F(ClientConnectionTest, AnExpiredSessionDoesNotComeBack) {
  const wire::ConnectResponse session = client_.connect();
  client_.ask(create(1, "/e", 1));
  client_.connection().hang_up();
  world_.advance_clock(world_.now() + std::chrono::minutes(1));
  world_.settle();

  WireClient second(world_);
  EXPECT_EQ(second.connect(again(session)).session, 0);
}

TEST_F(ClientConnectionTest, AClientFromTheFutureIsSentAway) {
  wire::ConnectRequest ahead = WireClient::greeting();
  ahead.last_zxid_seen = 1000;
  client_.send(WireClient::framed(wire::encode(ahead)));
  EXPECT_TRUE(client_.settled().empty());
  EXPECT_TRUE(client_.connection().closed());
}

TEST_F(ClientConnectionTest, ALinkServesOneClientAfterTheOther) {
  fakezk::World world;
  fakezk::Process& process = world.add_process();
  fakezk::LinkIndex link{};
  {
    WireClient first(world, process);
    first.connect();
    first.ask(create(1, "/a"));
    link = first.connection().link();
  }
  WireClient second(world, process, link);
  second.connect();
  EXPECT_EQ(second.ask(read(1, wire::Op::kExists, "/a")).err, 0);
  EXPECT_EQ(world.network().size(), 1U);
}

TEST_F(ClientConnectionTest, AuthsCountForTheConnection) {
  client_.connect();
  const wire::Reply reply = client_.ask(auth("digest", "user:secret"));
  EXPECT_EQ(reply.xid, wire::kAuthXid);
  EXPECT_EQ(reply.zxid, 0);
  EXPECT_EQ(reply.err, 0);
  wire::Request mine = create(1, "/mine");
  std::get<wire::CreateRequest>(mine.body).acl->front().id = {.scheme = "auth", .id = ""};
  EXPECT_EQ(client_.ask(mine).err, 0);

  WireClient other(world_);
  other.connect();
  EXPECT_EQ(other.ask(read(1, wire::Op::kGetData, "/mine")).err, -102);
}

TEST_F(ClientConnectionTest, AnUnknownSchemeEndsTheConnection) {
  client_.connect();
  const wire::Reply reply = client_.ask(auth("nope", "x"));
  EXPECT_EQ(reply.err, -115);
  EXPECT_TRUE(client_.connection().closed());
}

// The client would take a later reply for that of the dropped request.
TEST_F(ClientConnectionTest, AServerThatDropsARequestAnswersNoneOfTheLaterOnes) {
  const wire::ConnectResponse session = client_.connect();
  world_.servers().decide_expiry(world_.server().sessions().find(session.session));
  client_.send(read(1, wire::Op::kExists, "/"));
  client_.send(
      {.xid = wire::kSetWatchesXid, .op = wire::Op::kSetWatches, .body = wire::SetWatches{}});
  client_.send(plain(2, wire::Op::kWhoAmI));
  EXPECT_TRUE(client_.settled().empty());
}

// A client that takes no answers gets only a bounded number of them.
TEST_F(ClientConnectionTest, BoundsStopTheReadingOfRequests) {
  client_.connect();
  client_.ask(create(1, "/a"));
  ClientConnection& connection = client_.connection();
  connection.set_bounds({.long_answers = 2, .output = 100});
  for (std::int32_t xid = 2; xid < 12; ++xid) client_.send(read(xid, wire::Op::kGetData, "/a"));
  EXPECT_EQ(connection.unanswered(), 2U);
  world_.settle();
  EXPECT_EQ(connection.unanswered(), 0U);
  EXPECT_GT(connection.unread(), 0U);
  EXPECT_LT(connection.output_size(), 300U);

  std::int32_t next = 2;
  do {
    for (const std::string& frame : client_.settled()) {
      const auto reply = wire::decode_reply(wire::Op::kGetData, frame);
      ASSERT_TRUE(reply);
      EXPECT_EQ(reply->xid, next++);
      EXPECT_EQ(reply->err, 0);
    }
  } while (connection.read_on());
  EXPECT_EQ(next, 12);
  EXPECT_EQ(connection.unread(), 0U);
}

// Only long answers count.
TEST_F(ClientConnectionTest, BoundsOfLongAnswersDoNotStopWrites) {
  client_.connect();
  client_.connection().set_bounds({.long_answers = 1});
  for (std::int32_t xid = 1; xid <= 5; ++xid) client_.send(create(xid, "/" + std::to_string(xid)));
  EXPECT_EQ(client_.connection().unanswered(), 5U);
  EXPECT_EQ(client_.settled().size(), 5U);
}

}  // namespace
}  // namespace lockstep::connection
