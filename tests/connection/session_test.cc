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

TEST(ClientConnectionTest, EstablishesASession) {
  fakezk::World world;
  WireClient client(world);
  const wire::ConnectResponse response = client.connect();
  EXPECT_NE(response.session, 0);
  EXPECT_EQ(response.timeout_ms, 10000);
  EXPECT_EQ(response.password->size(), 16U);
  EXPECT_EQ(response.read_only, false);
  EXPECT_EQ(client.connection().session_id(), response.session);
  EXPECT_FALSE(client.connection().closed());
}

TEST(ClientConnectionTest, AnOldClientGetsNoReadOnlyFlag) {
  fakezk::World world;
  WireClient client(world);
  wire::ConnectRequest old = WireClient::greeting();
  old.read_only.reset();
  EXPECT_EQ(client.connect(old).read_only, std::nullopt);
}

TEST(ClientConnectionTest, ASessionComesBackWithItsPassword) {
  fakezk::World world;
  WireClient first(world);
  const wire::ConnectResponse session = first.connect();
  first.ask(create(1, "/e", 1));
  first.connection().hang_up();

  WireClient second(world);
  const wire::ConnectResponse response = second.connect(again(session));
  EXPECT_EQ(response.session, session.session);
  EXPECT_EQ(response.password, session.password);
  EXPECT_EQ(second.ask(read(1, wire::Op::kExists, "/e")).err, 0);
}

// Every byte of the password counts.
TEST(ClientConnectionTest, AWrongPasswordGetsSessionZeroAndTheClose) {
  fakezk::World world;
  WireClient first(world);
  const wire::ConnectResponse session = first.connect();
  for (std::size_t i = 0; i < 16; ++i) {
    wire::ConnectRequest request = again(session);
    (*request.password)[i] ^= 1;
    WireClient other(world);
    const wire::ConnectResponse response = other.connect(request);
    EXPECT_EQ(response.session, 0);
    EXPECT_EQ(response.timeout_ms, 0);
    EXPECT_EQ(response.password, std::string(16, '\0'));
    EXPECT_TRUE(other.connection().closed());
  }
}

TEST(ClientConnectionTest, AClosedSessionDoesNotComeBack) {
  fakezk::World world;
  WireClient first(world);
  const wire::ConnectResponse session = first.connect();
  first.ask(create(1, "/e", 1));
  const wire::Reply closed = first.ask(plain(2, wire::Op::kCloseSession));
  EXPECT_EQ(closed.xid, 2);
  EXPECT_EQ(closed.err, 0);
  EXPECT_TRUE(first.connection().closed());

  WireClient second(world);
  EXPECT_EQ(second.connect(again(session)).session, 0);
  WireClient third(world);
  third.connect();
  EXPECT_EQ(third.ask(read(1, wire::Op::kExists, "/e")).err, kNoNode);
}

TEST(ClientConnectionTest, AnExpiredSessionDoesNotComeBack) {
  fakezk::World world;
  WireClient first(world);
  const wire::ConnectResponse session = first.connect();
  first.ask(create(1, "/e", 1));
  first.connection().hang_up();
  world.advance_clock(world.now() + std::chrono::minutes(1));
  world.settle();

  WireClient second(world);
  EXPECT_EQ(second.connect(again(session)).session, 0);
}

TEST(ClientConnectionTest, AClientFromTheFutureIsSentAway) {
  fakezk::World world;
  WireClient client(world);
  wire::ConnectRequest ahead = WireClient::greeting();
  ahead.last_zxid_seen = 1000;
  client.send(WireClient::framed(wire::encode(ahead)));
  EXPECT_TRUE(client.settled().empty());
  EXPECT_TRUE(client.connection().closed());
}

TEST(ClientConnectionTest, ALinkServesOneClientAfterTheOther) {
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

TEST(ClientConnectionTest, AuthsCountForTheConnection) {
  fakezk::World world;
  WireClient client(world);
  client.connect();
  const wire::Reply reply = client.ask(auth("digest", "user:secret"));
  EXPECT_EQ(reply.xid, wire::kAuthXid);
  EXPECT_EQ(reply.zxid, 0);
  EXPECT_EQ(reply.err, 0);
  wire::Request mine = create(1, "/mine");
  std::get<wire::CreateRequest>(mine.body).acl->front().id = {.scheme = "auth", .id = ""};
  EXPECT_EQ(client.ask(mine).err, 0);

  WireClient other(world);
  other.connect();
  EXPECT_EQ(other.ask(read(1, wire::Op::kGetData, "/mine")).err, -102);
}

TEST(ClientConnectionTest, AnUnknownSchemeEndsTheConnection) {
  fakezk::World world;
  WireClient client(world);
  client.connect();
  const wire::Reply reply = client.ask(auth("nope", "x"));
  EXPECT_EQ(reply.err, -115);
  EXPECT_TRUE(client.connection().closed());
}

// The client would take a later reply for that of the dropped request.
TEST(ClientConnectionTest, AServerThatDropsARequestAnswersNoneOfTheLaterOnes) {
  fakezk::World world;
  WireClient client(world);
  const wire::ConnectResponse session = client.connect();
  world.servers().decide_expiry(world.server().sessions().find(session.session));
  client.send(read(1, wire::Op::kExists, "/"));
  client.send(
      {.xid = wire::kSetWatchesXid, .op = wire::Op::kSetWatches, .body = wire::SetWatches{}});
  client.send(plain(2, wire::Op::kWhoAmI));
  EXPECT_TRUE(client.settled().empty());
}

// A client that takes no answers gets only a bounded number of them.
TEST(ClientConnectionTest, BoundsStopTheReadingOfRequests) {
  fakezk::World world;
  WireClient client(world);
  client.connect();
  client.ask(create(1, "/a"));
  ClientConnection& connection = client.connection();
  connection.set_bounds({.long_answers = 2, .output = 100});
  for (std::int32_t xid = 2; xid < 12; ++xid) client.send(read(xid, wire::Op::kGetData, "/a"));
  EXPECT_EQ(connection.unanswered(), 2U);
  world.settle();
  EXPECT_EQ(connection.unanswered(), 0U);
  EXPECT_GT(connection.unread(), 0U);
  EXPECT_LT(connection.output_size(), 300U);

  std::int32_t next = 2;
  do {
    for (const std::string& frame : client.settled()) {
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
TEST(ClientConnectionTest, BoundsOfLongAnswersDoNotStopWrites) {
  fakezk::World world;
  WireClient client(world);
  client.connect();
  client.connection().set_bounds({.long_answers = 1});
  for (std::int32_t xid = 1; xid <= 5; ++xid) client.send(create(xid, "/" + std::to_string(xid)));
  EXPECT_EQ(client.connection().unanswered(), 5U);
  EXPECT_EQ(client.settled().size(), 5U);
}

}  // namespace
}  // namespace lockstep::connection
