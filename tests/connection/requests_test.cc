// Requests, replies and watch events in bytes, and how connections break.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/fakezk/chooser.h"
#include "wire_client.h"

namespace lockstep::connection {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

std::vector<std::int32_t> xids(const std::vector<std::string>& frames) {
  std::vector<std::int32_t> xids;
  for (const std::string& frame : frames) xids.push_back(wire::xid_of(frame).value());
  return xids;
}

TEST_F(ClientConnectionTest, ReadsACreatedZnode) {
  client_.connect();
  const wire::Reply created = client_.ask(create(1, "/a-", 2));
  EXPECT_EQ(created.xid, 1);
  EXPECT_GT(created.zxid, 0);
  EXPECT_EQ(std::get<wire::PathReply>(created.body).path, "/a-0000000000");
  const wire::Reply data = client_.ask(read(2, wire::Op::kGetData, "/a-0000000000"));
  EXPECT_EQ(std::get<wire::DataReply>(data.body).data, "data");
  EXPECT_EQ(std::get<wire::DataReply>(data.body).stat.czxid, created.zxid);
  const wire::Reply list = client_.ask(read(3, wire::Op::kGetChildren2, "/"));
  EXPECT_THAT(*std::get<wire::Children2Reply>(list.body).children,
              UnorderedElementsAre("zookeeper", "a-0000000000"));
  EXPECT_EQ(std::get<wire::Children2Reply>(list.body).stat.pzxid, created.zxid);
}

TEST_F(ClientConnectionTest, FragmentsOfAnySizeMeanTheSame) {
  std::string stream = WireClient::framed(wire::encode(WireClient::greeting()));
  stream += WireClient::bytes(create(1, "/a")) + WireClient::bytes(plain(-2, wire::Op::kPing)) +
            WireClient::bytes(read(2, wire::Op::kExists, "/a"));
  std::vector<std::string> whole;
  for (const std::size_t size : {stream.size(), std::size_t{1}, std::size_t{3}, std::size_t{7}}) {
    fakezk::World world;
    WireClient client(world);
    for (std::size_t at = 0; at < stream.size(); at += size) client.send(stream.substr(at, size));
    const std::vector<std::string> frames = client.settled();
    EXPECT_EQ(frames.size(), 4U);
    if (whole.empty()) whole = frames;
    EXPECT_EQ(frames, whole);
  }
}

TEST_F(ClientConnectionTest, RequestsWaitInTheLinkUntilTheWorldTakesThemUp) {
  client_.send(WireClient::framed(wire::encode(WireClient::greeting())));
  client_.send(create(1, "/a"));
  EXPECT_EQ(world_.network().at(client_.connection().link()).requests.size(), 1U);
  EXPECT_GT(client_.connection().unread(), 0U);
  EXPECT_TRUE(client_.arrived().empty());
  EXPECT_EQ(client_.settled().size(), 2U);
}

TEST_F(ClientConnectionTest, PingsAreAnsweredInTurn) {
  client_.connect();
  client_.send(create(1, "/a"));
  client_.send(plain(wire::kPingXid, wire::Op::kPing));
  client_.send(create(2, "/b"));
  EXPECT_TRUE(client_.arrived().empty());
  EXPECT_THAT(xids(client_.settled()), ElementsAre(1, wire::kPingXid, 2));
  const wire::Reply ping = client_.ask(plain(wire::kPingXid, wire::Op::kPing));
  EXPECT_EQ(ping.zxid, world_.server().last_zxid());
}

// The server answers a ping right after the request before it, whatever has happened since.
TEST_F(ClientConnectionTest, TheZxidsOfOneConnectionNeverGoBack) {
  WireClient other(world_);
  client_.connect();
  other.connect();
  client_.send(create(1, "/a"));
  client_.send(plain(wire::kPingXid, wire::Op::kPing));
  client_.send(read(2, wire::Op::kExists, "/a"));
  for (int i = 0; i < 2; ++i) world_.process_message(client_.connection().link());
  other.send(create(1, "/b"));
  world_.process_message(other.connection().link());
  const std::vector<std::string> frames = client_.settled();
  ASSERT_THAT(xids(frames), ElementsAre(1, wire::kPingXid, 2));
  const auto zxid_of = [&](std::size_t i) {
    return wire::decode_reply(wire::Op::kPing, frames[i].substr(0, 16)).value().zxid;
  };
  EXPECT_EQ(zxid_of(1), zxid_of(0));
  EXPECT_EQ(zxid_of(2), zxid_of(0));
}

TEST_F(ClientConnectionTest, WatchEventsComeBeforeTheReply) {
  client_.connect();
  client_.ask(create(1, "/a"));
  client_.ask(read(2, wire::Op::kGetData, "/a", true));
  client_.send(remove(3, "/a"));
  const std::vector<std::string> frames = client_.settled();
  ASSERT_THAT(xids(frames), ElementsAre(wire::kEventXid, 3));
  const wire::Event deleted{.zxid = -1, .type = 2, .state = 3, .path = "/a"};
  EXPECT_EQ(wire::decode_event(frames[0]).value(), deleted);
}

// The zxid of the reply to a ping shows the transaction of the event.
TEST_F(ClientConnectionTest, NoAnswerToAPingOvertakesAnEvent) {
  WireClient other(world_);
  client_.connect();
  other.connect();
  client_.ask(read(1, wire::Op::kExists, "/a", true));
  other.send(create(1, "/a"));
  world_.process_message(other.connection().link());
  client_.send(plain(wire::kPingXid, wire::Op::kPing));
  EXPECT_THAT(xids(client_.settled()), ElementsAre(wire::kEventXid, wire::kPingXid));
}

// It comes behind the credential's, however far the server is then.
TEST_F(ClientConnectionTest, ACredentialBehindAPingDoesNotDelayItsAnswer) {
  client_.connect();
  for (const bool before : {false, true}) {
    client_.send(create(1, before ? "/a" : "/b"));
    if (before) client_.send(auth("digest", "user:secret"));
    client_.send(plain(wire::kPingXid, wire::Op::kPing));
    client_.send(create(2, before ? "/c" : "/d"));
    client_.send(auth("digest", "user:other"));
    for (int i = 0; i < 5; ++i) {
      if (!world_.network().at(client_.connection().link()).requests.empty())
        world_.process_message(client_.connection().link());
    }
    std::vector<std::string> frames = client_.settled();
    const auto is_auth = [](const std::string& frame) {
      return wire::xid_of(frame).value() == wire::kAuthXid;
    };
    std::erase_if(frames, is_auth);
    ASSERT_THAT(xids(frames), ElementsAre(1, wire::kPingXid, 2));
    EXPECT_EQ(frames[1].substr(4, 8), frames[0].substr(4, 8));  // The zxids.
  }
}

TEST_F(ClientConnectionTest, WatchesAreSetAgain) {
  client_.connect();
  const std::int64_t before = client_.ask(create(1, "/a")).zxid;
  client_.ask(remove(2, "/a"));
  WireClient second(world_);
  second.connect();
  wire::SetWatches watches{.relative_zxid = before};
  for (auto* const list : {&watches.data, &watches.exist, &watches.child}) list->emplace();
  watches.data->emplace_back("/a");
  second.send({.xid = wire::kSetWatchesXid, .op = wire::Op::kSetWatches, .body = watches});
  EXPECT_THAT(xids(second.settled()), ElementsAre(wire::kEventXid, wire::kSetWatchesXid));
}

TEST_F(ClientConnectionTest, SetAclShowsTheStat) {
  client_.connect();
  client_.ask(create(1, "/a"));
  wire::SetAclRequest body{.path = "/a", .version = -1};
  body.acl.emplace().push_back({.perms = 1, .id = {.scheme = "world", .id = "anyone"}});
  const wire::Reply reply = client_.ask({.xid = 2, .op = wire::Op::kSetAcl, .body = body});
  EXPECT_EQ(std::get<wire::StatReply>(reply.body).stat.aversion, 1);
}

wire::Request multi(std::vector<std::string> removed) {
  wire::MultiRequest body;
  for (std::string& path : removed) {
    body.ops.push_back({.op = wire::Op::kDelete,
                        .body = wire::VersionRequest{.path = std::move(path), .version = -1}});
  }
  return {.xid = 5, .op = wire::Op::kMulti, .body = std::move(body)};
}

// 3.8.0 answers like this: no error in the header.
TEST_F(ClientConnectionTest, AFailedMultiReportsTheErrorOfEachOperation) {
  client_.connect();
  client_.ask(create(1, "/a"));
  const wire::Reply reply = client_.ask(multi({"/a", "/none", "/a"}));
  EXPECT_EQ(reply.err, 0);
  std::vector<std::int32_t> errors;
  for (const auto& result : std::get<wire::MultiReply>(reply.body).results) {
    errors.push_back(result.err);
  }
  EXPECT_THAT(errors, ElementsAre(0, -101, -2));
  EXPECT_EQ(std::get<wire::MultiReply>(client_.ask(multi({"/a"})).body).results.size(), 1U);
}

// 3.8.0 answers an unknown operation like this: zxid -1, and the connection ends.
TEST_F(ClientConnectionTest, AnUnknownOperationEndsTheConnection) {
  client_.connect();
  client_.send(WireClient::framed("\0\0\0\x07\0\0\0\x4d"s));
  const std::vector<std::string> frames = client_.arrived();
  ASSERT_EQ(frames.size(), 1U);
  const wire::Reply reply = wire::decode_reply(wire::Op::kPing, frames[0]).value();
  EXPECT_EQ(reply.xid, 7);
  EXPECT_EQ(reply.zxid, -1);
  EXPECT_EQ(reply.err, -6);
  EXPECT_TRUE(client_.connection().closed());
}

// 3.8.0 answers like this.
TEST_F(ClientConnectionTest, AMalformedBodyIsAMarshallingError) {
  client_.connect();
  for (const std::string& body : {""s, "\0\0"s, "\xff\xff\xff\xff\0"s, "\x40\0\0\0"s}) {
    client_.send(WireClient::framed("\0\0\0\x07\0\0\0\x03"s + body));
    const std::vector<std::string> frames = client_.settled();
    ASSERT_EQ(frames.size(), 1U);
    EXPECT_EQ(wire::decode_reply(wire::Op::kPing, frames[0]).value().err, -5);
    EXPECT_FALSE(client_.connection().closed());
  }
}

TEST_F(ClientConnectionTest, AMalformedFrameEndsTheConnectionAfterEarlierRequests) {
  for (const std::string& frame :
       {"\xff\xff\xff\xf9"s, "\x10\0\0\0"s, "\0\0\0\0"s, "\0\0\0\x02\0\0"s}) {
    fakezk::World world;
    WireClient client(world);
    client.connect();
    client.send(create(1, "/a"));
    client.send(frame);
    EXPECT_TRUE(client.connection().closed());
    EXPECT_TRUE(client.settled().empty());
    client.send(create(2, "/b"));
    WireClient other(world);
    other.connect();
    EXPECT_EQ(other.ask(read(1, wire::Op::kExists, "/a")).err, 0);
    EXPECT_EQ(other.ask(read(2, wire::Op::kExists, "/b")).err, -101);
  }
}

TEST_F(ClientConnectionTest, AMalformedGreetingEndsTheConnection) {
  client_.send(WireClient::framed(std::string(9, '\0')));
  EXPECT_TRUE(client_.connection().closed());
  EXPECT_TRUE(client_.settled().empty());
}

TEST_F(ClientConnectionTest, ACutEndsTheStream) {
  client_.connect();
  client_.send(create(1, "/a"));
  world_.faults().cut(client_.connection().link(), 0, 0);
  EXPECT_TRUE(client_.settled().empty());
  EXPECT_TRUE(client_.connection().closed());
  EXPECT_EQ(client_.connection().ended_as(), Error::kConnectionLoss);
}

TEST_F(ClientConnectionTest, AClientThatHangsUpChoosesWhichRequestsHaveArrived) {
  for (const std::uint32_t accepted : {0U, 1U, ClientConnection::kAll}) {
    fakezk::World world;
    WireClient client(world);
    client.connect();
    client.send(create(1, "/a"));
    client.send(create(2, "/b"));
    client.connection().hang_up(accepted);
    WireClient other(world);
    other.connect();
    EXPECT_EQ(other.ask(read(1, wire::Op::kExists, "/a")).err, accepted > 0 ? 0 : -101);
    EXPECT_EQ(other.ask(read(2, wire::Op::kExists, "/b")).err, accepted > 1 ? 0 : -101);
  }
}

// FollowerRequestProcessor.run passes a write on to the leader when it reads it, although an
// earlier read waits until the server has caught up.
TEST_F(ClientConnectionTest, AClientThatLeavesALaggingServerHasSentAllItsWrites) {
  constexpr fakezk::ReplicaIndex kFar = 1;
  fakezk::World world({.replicas = 3});
  WireClient client(world);
  WireClient other(world);
  world.network()[client.connection().link()].goes_to = kFar;
  world.network()[other.connection().link()].goes_to = 0;
  client.connect();
  other.connect();
  world.servers().hold_replica(kFar, true, world.now());
  client.send(create(1, "/a"));
  client.send(read(2, wire::Op::kGetData, "/"));
  client.send(create(3, "/b"));
  world.settle();
  EXPECT_EQ(other.ask(read(1, wire::Op::kExists, "/a")).err, 0);
  client.connection().hang_up();
  fakezk::Prompt prompt;
  while (world.step_without_time(prompt)) {
  }
  EXPECT_EQ(other.ask(read(2, wire::Op::kExists, "/b")).err, 0);
}

// FinalRequestProcessor.processRequest: every header has the last zxid of the server that answers.
TEST_F(ClientConnectionTest, ARefusedReadHasTheZxidOfItsOwnServer) {
  constexpr fakezk::ReplicaIndex kFar = 1;
  fakezk::World world({.replicas = 3});
  WireClient before(world);
  WireClient after(world);
  world.network()[before.connection().link()].goes_to = kFar;
  world.network()[after.connection().link()].goes_to = 0;
  wire::ConnectRequest greeting = WireClient::greeting();
  const wire::ConnectResponse welcome = before.connect(greeting);
  world.servers().hold_replica(kFar, true, world.now());
  greeting.session = welcome.session;
  greeting.password = welcome.password;
  after.connect(greeting);
  after.ask(create(1, "/a"));
  // The old connection still serves reads.
  const wire::Reply read_there = before.ask(read(2, wire::Op::kExists, "/"));
  const wire::Reply refused = before.ask(read(3, wire::Op::kExists, "/a\0b"s));
  EXPECT_EQ(read_there.err, 0);
  EXPECT_EQ(refused.err, -8);
  EXPECT_EQ(refused.zxid, read_there.zxid);
  EXPECT_LT(refused.zxid, world.server().last_zxid());
  EXPECT_EQ(before.ask(plain(wire::kPingXid, wire::Op::kPing)).zxid, read_there.zxid);
}

// Loses one request, or the answer to one; everything else passes.
class OneLoss final : public ClientConnection::Filter {
 public:
  OneLoss(std::int32_t request, std::int32_t answer) : request_(request), answer_(answer) {}
  bool request_passes(const wire::Request& request) override { return request.xid != request_; }
  bool answer_passes(std::int32_t xid, wire::Op, std::int32_t) override { return xid != answer_; }

 private:
  std::int32_t request_;
  std::int32_t answer_;
};

// A lost request is never applied; a request whose answer is lost has been applied.
TEST_F(ClientConnectionTest, ALostMessageEndsTheConnection) {
  for (const bool applied : {false, true}) {
    fakezk::World world;
    OneLoss loss(applied ? 0 : 2, applied ? 2 : 0);
    WireClient client(world);
    client.connect();
    client.connection().set_filter(&loss);
    client.ask(create(1, "/a"));
    client.send(create(2, "/b"));
    client.send(create(3, "/c"));
    EXPECT_TRUE(client.settled().empty());
    EXPECT_TRUE(client.connection().closed());
    WireClient other(world);
    other.connect();
    EXPECT_EQ(other.ask(read(1, wire::Op::kExists, "/a")).err, 0);
    EXPECT_EQ(other.ask(read(2, wire::Op::kExists, "/b")).err, applied ? 0 : -101);
    client.connection().set_filter(nullptr);
  }
}

}  // namespace
}  // namespace lockstep::connection
