// A test acts on a running service.
#include "lockstep/service/control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>

#include "raw_session.h"
#include "served.h"

namespace lockstep::service {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using wire::Op;

constexpr std::int32_t kNoNode = -101;
constexpr std::int32_t kEphemeral = 1;
constexpr std::int32_t kEphemeralSequential = 3;

class ControlTest : public ::testing::Test {
 protected:
  explicit ControlTest(std::uint32_t servers = 1) : served(ServiceOptions{.servers = servers}) {}

  std::uint16_t port(std::size_t server = 0) { return served.service().ports()[server]; }
  std::vector<SessionId> living() {
    std::vector<SessionId> ids;
    for (const Control::Session& session : control.sessions()) ids.push_back(session.id);
    return ids;
  }

  static std::ptrdiff_t open_descriptors() {
    using Files = std::filesystem::directory_iterator;
    return std::distance(Files("/proc/self/fd"), Files());
  }
  // Until the service has closed the sockets of clients that are gone.
  void expect_descriptors(std::ptrdiff_t wanted) {
    for (int turns = 0; turns < 10'000 && open_descriptors() > wanted; ++turns) {
      ASSERT_EQ(control.servers().size(), 1U);
    }
    EXPECT_EQ(open_descriptors(), wanted);
  }

  Served served;
  Control control{served.service()};
};

class ControlOfThreeTest : public ControlTest {
 protected:
  ControlOfThreeTest() : ControlTest(3) {}
};

TEST_F(ControlTest, ShowsSessionsTreeAndWatches) {
  RawSession ann(port());
  ann.create("/a");
  ann.create("/a/e", kEphemeral);
  ann.ask(Op::kGetData, wire::ReadRequest{.path = "/a", .watch = true});
  ann.ask(Op::kGetChildren, wire::ReadRequest{.path = "/a", .watch = true});
  const std::vector<Control::Session> sessions = control.sessions();
  ASSERT_EQ(sessions.size(), 1U);
  EXPECT_EQ(sessions[0].id, ann.id());
  EXPECT_EQ(sessions[0].timeout, seconds(20));
  EXPECT_TRUE(sessions[0].connected);
  EXPECT_FALSE(sessions[0].stalled);
  EXPECT_THAT(sessions[0].ephemerals, ElementsAre("/a/e"));
  std::vector<std::string> paths;
  for (const Control::Znode& znode : control.tree()) paths.push_back(znode.path);
  EXPECT_THAT(
      paths, ElementsAre("/", "/zookeeper", "/zookeeper/config", "/zookeeper/quota", "/a", "/a/e"));
  EXPECT_EQ(control.tree().back().data, "data");
  EXPECT_EQ(control.tree().back().stat.ephemeral_owner, ann.id());
  const std::vector<Control::Watch> watches = control.watches();
  ASSERT_EQ(watches.size(), 2U);
  EXPECT_EQ(watches[0].path, "/a");
  EXPECT_EQ(watches[0].session, ann.id());
  EXPECT_NE(watches[0].on_children, watches[1].on_children);
}

TEST_F(ControlTest, ShowsEveryWriteInItsOrder) {
  using Kind = Control::Write::Kind;
  RawSession ann(port());
  ann.create("/a");
  ann.ask(Op::kSetData, wire::SetDataRequest{.path = "/a", .data = "other", .version = -1});
  RawSession bob(port());
  bob.create("/a/e", kEphemeral);
  bob.create("/a/f", kEphemeral);
  EXPECT_TRUE(control.expire(bob.id()));
  ann.ask(Op::kDelete, wire::VersionRequest{.path = "/a", .version = -1});
  const std::vector<Control::Write> all = control.history();
  ASSERT_EQ(all.size(), 7U);
  EXPECT_EQ(all[0].kind, Kind::kCreated);
  EXPECT_EQ(all[0].path, "/a");
  EXPECT_EQ(all[0].session, ann.id());
  EXPECT_EQ(all[0].owner, 0);
  EXPECT_EQ(all[1].kind, Kind::kDataSet);
  EXPECT_EQ(all[3].path, "/a/f");
  EXPECT_EQ(all[3].owner, bob.id());
  // The servers delete both under one zxid.
  EXPECT_EQ(all[4].kind, Kind::kDeleted);
  EXPECT_EQ(all[4].session, 0);
  EXPECT_EQ(all[4].owner, bob.id());
  EXPECT_EQ(all[4].zxid, all[5].zxid);
  EXPECT_EQ(all[6].session, ann.id());
  EXPECT_EQ(control.history(all[4].zxid).size(), 1U);
  EXPECT_THAT(control.history(all[6].zxid), IsEmpty());
}

TEST_F(ControlTest, ShowsWhoHoldsALockAndWhoWaits) {
  RawSession ann(port());
  RawSession bob(port());
  ann.create("/lock");
  const std::string bobs = bob.create("/lock/z-", kEphemeralSequential);
  const std::string anns = ann.create("/lock/a-", kEphemeralSequential);
  ann.create("/lock/own", kEphemeral);
  ASSERT_TRUE(control.cut(bob.id()).has_value());
  const std::vector<Control::Queue> queues = control.queues();
  ASSERT_EQ(queues.size(), 1U);
  EXPECT_EQ(queues[0].path, "/lock");
  ASSERT_EQ(queues[0].places.size(), 2U);
  EXPECT_EQ(queues[0].places[0].znode, bobs);
  EXPECT_EQ(queues[0].places[0].session, bob.id());
  EXPECT_FALSE(queues[0].places[0].connected);
  EXPECT_EQ(queues[0].places[1].znode, anns);
  EXPECT_TRUE(queues[0].places[1].connected);
}

TEST_F(ControlTest, ExpiresOneSession) {
  RawSession ann(port());
  RawSession bob(port());
  ann.create("/a", kEphemeral);
  ASSERT_TRUE(control.expire(ann.id()).has_value());
  ann.wait_for_close();
  EXPECT_EQ(bob.exists("/a"), kNoNode);
  EXPECT_THAT(living(), ElementsAre(bob.id()));
  const Control::Done again = control.expire(ann.id());
  ASSERT_FALSE(again.has_value());
  EXPECT_TRUE(again.error().unknown);
}

TEST_F(ControlTest, CutsAConnectionAndNotItsSession) {
  RawSession ann(port());
  ASSERT_TRUE(control.cut(ann.id()).has_value());
  ann.wait_for_close();
  EXPECT_THAT(living(), ElementsAre(ann.id()));
  EXPECT_FALSE(control.sessions()[0].connected);
  const Control::Done again = control.cut(ann.id());
  ASSERT_FALSE(again.has_value());
  EXPECT_FALSE(again.error().unknown);
}

TEST_F(ControlTest, AStalledConnectionPassesNothingOnUntilItIsResumed) {
  RawSession ann(port());
  RawSession bob(port());
  bob.create("/a");
  ann.ask(Op::kGetData, wire::ReadRequest{.path = "/a", .watch = true});
  ASSERT_TRUE(control.stall(ann.id()).has_value());
  EXPECT_TRUE(control.sessions()[0].stalled);
  ann.send(Op::kDelete, wire::VersionRequest{.path = "/a", .version = -1});
  EXPECT_EQ(bob.ask(Op::kSetData, wire::SetDataRequest{.path = "/a", .version = 0}).err, 0);
  EXPECT_EQ(bob.exists("/a"), 0);
  ASSERT_TRUE(control.resume(ann.id()).has_value());
  EXPECT_EQ(ann.event().path, "/a");
  EXPECT_EQ(ann.reply(Op::kDelete).err, 0);
  EXPECT_EQ(bob.exists("/a"), kNoNode);
}

TEST_F(ControlTest, AClientThatCameBackFromAStallIsServedOverItsNewConnection) {
  for (int round = 0; round < 10;
       ++round) {  // Either connection may have been the first to be found.
    RawSession ann(port());
    ASSERT_TRUE(control.stall(ann.id()).has_value());
    RawSession again(port(), ann);
    ASSERT_EQ(again.id(), ann.id());
    EXPECT_FALSE(control.sessions()[0].stalled);
    ASSERT_TRUE(control.stall(ann.id()).has_value());
    EXPECT_TRUE(control.sessions()[0].stalled);
    ASSERT_TRUE(control.resume(ann.id()).has_value());
    EXPECT_EQ(again.exists("/a"), kNoNode);
    ann.wait_for_close();  // The server had closed it, which `resume` lets its client see.
    ASSERT_TRUE(control.cut(ann.id()).has_value());
    ASSERT_FALSE(control.sessions()[0].connected);
    again.wait_for_close();
    ASSERT_TRUE(control.expire(ann.id()).has_value());
  }
}

// A socket of a client that is gone would be held until the service ends.
TEST_F(ControlTest, AStalledConnectionLeavesWithItsClientOnceTheServerHasClosedIt) {
  const auto before = open_descriptors();
  for (int i = 0; i < 20; ++i) {
    RawSession ann(port());
    ASSERT_TRUE(control.stall(ann.id()).has_value());
    ann.send(Op::kExists, wire::ReadRequest{.path = "/a"});
    if (i % 3 == 0) RawSession(port(), ann);
    if (i % 3 != 1) {
      ASSERT_TRUE(control.expire(ann.id()).has_value());
    }
  }
  ASSERT_TRUE(control.advance(seconds(41)).has_value());
  EXPECT_THAT(living(), IsEmpty());
  expect_descriptors(before);
}

// The servers' time is virtual: the test does not wait.
TEST_F(ControlTest, SessionsExpireWhenTheClockJumpsPastTheirTimeouts) {
  RawSession patient(port(), seconds(40));
  RawSession ann(port(), seconds(10));
  ann.create("/a", kEphemeral);
  ASSERT_TRUE(control.advance(seconds(9)).has_value());
  EXPECT_EQ(ann.exists("/a"), 0);  // Keeps Ann's session alive.
  ASSERT_TRUE(control.advance(seconds(9)).has_value());
  EXPECT_EQ(living().size(), 2U);
  ASSERT_TRUE(control.advance(seconds(4)).has_value());
  ann.wait_for_close();
  EXPECT_THAT(living(), ElementsAre(patient.id()));
  EXPECT_FALSE(control.advance(seconds(-1)).has_value());
}

// A part of a request is no sign of life, nor are credentials.
TEST_F(ControlTest, OnlyRequestsKeepASessionAlive) {
  RawSession patient(port(), seconds(40));
  RawSession ann(port(), seconds(10));
  RawSession bob(port(), seconds(10));
  RawSession carl(port(), seconds(10));
  RawSession dan(port(), seconds(10));
  ASSERT_TRUE(control.advance(seconds(9)).has_value());
  ann.send_bytes(std::string("\0\0\0\x20half", 8));
  EXPECT_EQ(bob.ask(Op::kAuth, wire::AuthPacket{.scheme = "digest", .auth = "bob:secret"}).err, 0);
  EXPECT_EQ(carl.exists("/"), 0);
  EXPECT_EQ(dan.ask(Op::kPing, wire::Nothing{}).err, 0);
  ASSERT_TRUE(control.advance(seconds(9)).has_value());
  EXPECT_THAT(living(), ElementsAre(patient.id(), carl.id(), dan.id()));
}

TEST_F(ControlTest, ARefusingServerResetsNewConnectionsOnly) {
  RawSession ann(port());
  ASSERT_TRUE(control.refuse(0, true).has_value());
  EXPECT_TRUE(control.servers()[0].refuses);
  EXPECT_EQ(ann.exists("/a"), kNoNode);
  bool came_in = true;
  try {
    came_in = RawSession(port()).id() != 0;
  } catch (const boost::system::system_error&) {
    came_in = false;
  }
  EXPECT_FALSE(came_in);
  ASSERT_TRUE(control.refuse(0, false).has_value());
  EXPECT_NE(RawSession(port()).id(), 0);
}

TEST_F(ControlTest, ALostRequestIsNeverAppliedAndALostReplyLate) {
  for (const bool reply : {false, true}) {
    RawSession ann(port());
    RawSession bob(port());
    const std::string path = reply ? "/b" : "/a";
    ASSERT_TRUE((reply ? control.lose_reply(Op::kCreate, ann.id())
                       : control.lose_request(Op::kCreate, ann.id()))
                    .has_value());
    EXPECT_EQ(ann.exists(path), kNoNode);  // Of another kind.
    bob.create(path + "s");                // Of another session.
    EXPECT_THROW(ann.create(path), std::runtime_error);
    EXPECT_EQ(bob.exists(path), reply ? 0 : kNoNode);
    EXPECT_EQ(control.log().back().op, "exists");
    const std::vector<Control::LoggedRequest> log = control.log();
    const Control::LoggedRequest& lost = log[log.size() - 2];
    EXPECT_EQ(lost.op, "create");
    EXPECT_EQ(lost.answer, "lost");
    RawSession carl(port());
    carl.create(path + "c");  // Only one was to be lost.
  }
}

TEST_F(ControlTest, AnyKindExcludesPings) {
  RawSession ann(port());
  ASSERT_TRUE(control.lose_reply({}).has_value());
  EXPECT_EQ(ann.ask(Op::kPing, wire::Nothing{}).err, 0);
  EXPECT_THROW(ann.exists("/a"), std::runtime_error);
}

// Ann's messages are delayed beyond the end of the test; Bob's are not, and hers come without the
// delay.
TEST_F(ControlTest, ADelayHoldsBackOneClientsMessages) {
  RawSession ann(port());
  RawSession bob(port());
  ASSERT_TRUE(control.delay(ann.id(), std::chrono::milliseconds(20)).has_value());
  ann.create("/a");
  EXPECT_EQ(ann.exists("/a"), 0);
  ASSERT_TRUE(control.delay(ann.id(), Duration::zero()).has_value());
  EXPECT_EQ(ann.exists("/a"), 0);
  ASSERT_TRUE(control.delay(ann.id(), std::chrono::hours(1)).has_value());
  ann.send(Op::kExists, wire::ReadRequest{.path = "/a"});
  EXPECT_EQ(bob.exists("/a"), 0);
  ASSERT_TRUE(control.expire(ann.id()).has_value());
  EXPECT_THAT(living(), ElementsAre(bob.id()));
  EXPECT_FALSE(control.delay(bob.id(), std::chrono::hours(2)).has_value());
}

TEST_F(ControlTest, TheEndOfADelayLetsEverythingPassAtOnce) {
  RawSession ann(port());
  RawSession bob(port());
  for (const bool by_calm : {false, true}) {
    ASSERT_TRUE(control.delay(ann.id(), std::chrono::hours(1)).has_value());
    ann.send(Op::kExists, wire::ReadRequest{.path = "/a"});
    ann.send(Op::kExists, wire::ReadRequest{.path = "/"});
    EXPECT_EQ(bob.exists("/"), 0);  // Ann's answers are held back by now.
    if (by_calm) {
      control.calm();
    } else {
      ASSERT_TRUE(control.delay(ann.id(), Duration::zero()).has_value());
    }
    EXPECT_EQ(ann.reply(Op::kExists).err, kNoNode);
    EXPECT_EQ(ann.reply(Op::kExists).err, 0);
    EXPECT_EQ(ann.exists("/"), 0);
  }
}

TEST_F(ControlTest, ADelayedConnectionLeavesWithItsClientOnceTheServerHasClosedIt) {
  const auto before = open_descriptors();
  {
    RawSession ann(port());
    RawSession bob(port());
    ASSERT_TRUE(control.delay(ann.id(), std::chrono::hours(1)).has_value());
    ann.send(Op::kExists, wire::ReadRequest{.path = "/a"});
    EXPECT_EQ(bob.exists("/"), 0);
    ASSERT_TRUE(control.expire(ann.id()).has_value());
  }
  expect_descriptors(before);
}

TEST_F(ControlTest, TheNextSequentialZnodeGetsTheNumberThatIsSet) {
  RawSession ann(port());
  ann.create("/a");
  EXPECT_EQ(ann.create("/a/s-", 2), "/a/s-0000000000");
  ASSERT_TRUE(control.set_counter("/a", 2147483646).has_value());
  EXPECT_EQ(ann.create("/a/s-", 2), "/a/s-2147483646");
  EXPECT_EQ(ann.create("/a/s-", 2), "/a/s-2147483647");
  const Control::Done back = control.set_counter("/a", 5);
  ASSERT_FALSE(back.has_value());
  EXPECT_FALSE(back.error().unknown);
  EXPECT_TRUE(control.set_counter("/none", 5).error().unknown);
}

TEST_F(ControlTest, MissingObjectsAreNamed) {
  EXPECT_THAT(living(), IsEmpty());
  for (const Control::Done& done :
       {control.expire(0), control.cut(1), control.stall(-1), control.resume(7),
        control.refuse(1, true), control.lag(1, true)}) {
    ASSERT_FALSE(done.has_value());
    EXPECT_TRUE(done.error().unknown);
  }
  for (const Control::Done& done : {control.lag(0, true), control.change_leader()}) {
    ASSERT_FALSE(done.has_value());
    EXPECT_FALSE(done.error().unknown);
    EXPECT_EQ(done.error().why, "there is only one server");
  }
}

TEST_F(ControlOfThreeTest, ALaggingServerShowsThePastUntilItCatchesUp) {
  RawSession ann(port(0));
  RawSession bob(port(1));
  ASSERT_TRUE(control.lag(1, true).has_value());
  ann.create("/a");
  EXPECT_EQ(bob.exists("/a"), kNoNode);
  EXPECT_TRUE(control.servers()[1].lags);
  EXPECT_EQ(control.servers()[1].behind, 1U);
  EXPECT_EQ(control.servers()[0].behind, 0U);
  // A session sees its own writes, so this waits.
  bob.send(Op::kSync, wire::PathRequest{.path = "/"});
  bob.send(Op::kExists, wire::ReadRequest{.path = "/a"});
  ASSERT_TRUE(control.lag(1, false).has_value());
  EXPECT_EQ(bob.reply(Op::kSync).err, 0);
  EXPECT_EQ(bob.reply(Op::kExists).err, 0);
}

TEST_F(ControlOfThreeTest, AChangeOfTheLeaderEndsConnectionsAndNoSession) {
  RawSession ann(port(0));
  RawSession bob(port(1));
  const std::int64_t before = ann.ask(Op::kSync, wire::PathRequest{.path = "/"}).zxid;
  ASSERT_TRUE(control.change_leader().has_value());
  ann.wait_for_close();
  bob.wait_for_close();
  EXPECT_THAT(living(), ElementsAre(ann.id(), bob.id()));
  RawSession carl(port(2));
  EXPECT_EQ(carl.ask(Op::kSync, wire::PathRequest{.path = "/"}).zxid >> 32, (before >> 32) + 1);
}

// The old connection, on another server, is not closed: it may still read.
TEST_F(ControlOfThreeTest, AResumeLetsEverythingPassOverAllConnectionsOfASession) {
  RawSession ann(port(0));
  ASSERT_TRUE(control.stall(ann.id()).has_value());
  ann.send(Op::kExists, wire::ReadRequest{.path = "/a"});
  RawSession again(port(1), ann);
  ASSERT_EQ(again.id(), ann.id());
  EXPECT_FALSE(control.sessions()[0].stalled);
  EXPECT_EQ(control.sessions()[0].server, 1U);
  ASSERT_TRUE(control.resume(ann.id()).has_value());
  EXPECT_EQ(ann.reply(Op::kExists).err, kNoNode);
  ASSERT_TRUE(control.cut(ann.id()).has_value());
  again.wait_for_close();
  EXPECT_EQ(ann.exists("/a"), kNoNode);
}

}  // namespace
}  // namespace lockstep::service
