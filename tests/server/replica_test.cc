// Several replicas show what one server does not. A test cannot control when a real ensemble shows
// it, so the fake is made to. Each test names the statement of ZooKeeper's source that it follows.
#include "lockstep/fakezk/replica.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "server/three_replicas.h"
#include "support/by_hand.h"

namespace lockstep::fakezk {
namespace {

using namespace unit;

class ReplicaTest : public ::testing::Test {
 protected:
  // A session connected to that replica.
  std::shared_ptr<FakeSession> open(const char* name, ReplicaIndex replica) {
    auto session = std::make_shared<FakeSession>(simulation_.client(name).process(), 10s);
    simulation_.send_to(*session, replica);
    simulation_.settle();
    EXPECT_EQ(simulation_.world().server().replica_of(session->link()), replica);
    return session;
  }
  void move(FakeSession& session, ReplicaIndex replica) {
    simulation_.send_to(session, replica);
    simulation_.cut(session);
    simulation_.settle();
  }
  std::string data(FakeSession& session, const char* path) {
    const auto read = simulation_.run(get_data(session, path));
    return read ? std::string(read->data.view()) : std::string(name(read.error()));
  }

  Simulation simulation_{three_replicas()};
};

// DataTree.processTxn: every replica applies the same transactions without waiting for another.
TEST_F(ReplicaTest, Z74AReadMayShowThePast) {
  const auto writer = open("writer", kNear);
  const auto reader = open("reader", kFar);
  must(simulation_.run(create(*writer, "/a", "old")), "create");
  simulation_.fall_behind(kFar);
  simulation_.start(ignore(set_data(*writer, "/a", "new")));
  const auto read = simulation_.start(get_data(*reader, "/a"));
  simulation_.world().step_without_time(*std::make_unique<Calm>());
  EXPECT_EQ(data(*writer, "/a"), "new");
  simulation_.settle();
  EXPECT_EQ(must(read.result(), "get_data").data.view(), "old");
}

// CommitProcessor: a session's reads wait until its own writes have been committed here.
TEST_F(ReplicaTest, Z73AReadShowsTheSessionsOwnWrites) {
  const auto session = open("A", kFar);
  simulation_.fall_behind(kFar);
  const auto created = simulation_.start(create(*session, "/a", "mine"));
  const auto read = simulation_.start(get_data(*session, "/a"));
  simulation_.settle();
  EXPECT_TRUE(must(created.result(), "create").path == Path("/a"));
  EXPECT_EQ(must(read.result(), "get_data").data.view(), "mine");
}

// ZooKeeperServer.processPacket answers an auth packet at once; zookeeper.c matches its reply by
// AUTH_XID, not by its position.
TEST_F(ReplicaTest, Z73TheReplyToAnAddAuthIsNotTakenForThatOfAWrite) {
  const auto session = open("A", kFar);
  simulation_.fall_behind(kFar);
  const auto add_auth = [](Session& of) -> Task<Result<void>> {
    co_return co_await of.add_auth("digest", "user:password");
  };
  const auto created = simulation_.start(create(*session, "/a"));
  const auto added = simulation_.start(add_auth(*session));
  while (!added.done()) run_steps(simulation_, 1);
  EXPECT_FALSE(created.done());
  simulation_.settle();
  EXPECT_EQ(must(created.result(), "create").path, Path("/a"));
}

// Leader.processSync: answered when this replica has applied everything that the leader had
// proposed.
TEST_F(ReplicaTest, Z76SyncBringsAReplicaUpToDate) {
  const auto writer = open("writer", kNear);
  const auto reader = open("reader", kFar);
  must(simulation_.run(create(*writer, "/a", "old")), "create");
  simulation_.fall_behind(kFar);
  const auto set = simulation_.start(set_data(*writer, "/a", "new"));
  Calm calm;
  while (!set.done()) simulation_.world().step(calm);
  const auto synced = simulation_.start(sync(*reader, "/"));
  const auto read = simulation_.start(get_data(*reader, "/a"));
  simulation_.settle();
  EXPECT_TRUE(synced.result());
  EXPECT_EQ(must(read.result(), "get_data").data.view(), "new");
}

// Each replica triggers its own watches, when it applies the transaction.
TEST_F(ReplicaTest, Z75AnEventComesWithItsReplica) {
  const auto writer = open("writer", kNear);
  const auto near = open("near", kNear);
  const auto far = open("far", kFar);
  must(simulation_.run(create(*writer, "/a", "old")), "create");
  const Watch near_watch = must(simulation_.run(watch_data(*near, "/a")), "watch");
  const Watch far_watch = must(simulation_.run(watch_data(*far, "/a")), "watch");
  simulation_.fall_behind(kFar);
  const auto set = simulation_.start(set_data(*writer, "/a", "new"));
  Calm calm;
  while (!set.done() || !near_watch.has_fired()) simulation_.world().step(calm);
  EXPECT_FALSE(far_watch.has_fired());
  simulation_.catch_up(kFar);
  simulation_.settle();
  EXPECT_TRUE(far_watch.has_fired());
}

// ZooKeeperServer.processConnectRequest: a client that has seen more is refused.
TEST_F(ReplicaTest, Z62AClientDoesNotTravelBackInTime) {
  const auto session = open("A", kNear);
  simulation_.fall_behind(kFar);
  must(simulation_.run(create(*session, "/a", "x")), "create");
  simulation_.fall_behind(kFar);
  simulation_.send_to(*session, kFar);
  simulation_.cut(*session);
  // The client is refused while the replica is behind.
  Calm calm;
  for (int i = 0; i < 6; ++i) simulation_.world().step_without_time(calm);
  simulation_.catch_up(kFar);
  simulation_.settle();
  EXPECT_EQ(session->state(), SessionState::kConnected);
  EXPECT_EQ(data(*session, "/a"), "x");
}

// Connects to a server that is behind whenever there is one.
class Unlucky final : public Chooser {
 public:
  Choice next(const Menu&) override { return {}; }
  std::uint32_t number(std::uint32_t options) override { return options - 1; }
};

// zookeeper.c: after any failed attempt to connect, zoo_cycle_next_server takes the next server of
// the list, and addrvec_next starts over only at its end.
TEST_F(ReplicaTest, Z62AClientThatIsSentAwayGoesOnToTheNextServer) {
  const auto session = std::make_shared<FakeSession>(simulation_.client("A").process(), 10s);
  simulation_.settle();
  const ReplicaIndex first = simulation_.world().server().replica_of(session->link());
  for (const ReplicaIndex replica : {0U, 1U, 2U}) {
    if (replica != first) simulation_.fall_behind(replica);
  }
  must(simulation_.run(create(*session, "/a", "x")), "create");
  for (const ReplicaIndex replica : {0U, 1U, 2U}) {
    if (replica != first) simulation_.fall_behind(replica);
  }
  simulation_.cut(*session);
  Unlucky unlucky;
  // The connection ends; then, for each server at most, a handshake and its answer.
  for (int i = 0; i < 1 + 2 * 3; ++i) simulation_.world().step_without_time(unlucky);
  EXPECT_EQ(session->state(), SessionState::kConnected);
  EXPECT_EQ(simulation_.world().server().replica_of(session->link()), first);
}

// An event carries no zxid (NIOServerCnxn.process), so it does not prevent a step back in time.
TEST_F(ReplicaTest, Z62AnEventIsNoProtection) {
  const auto writer = open("writer", kNear);
  const auto watcher = open("watcher", kNear);
  must(simulation_.run(create(*writer, "/a", "old")), "create");
  const Watch watch = must(simulation_.run(watch_data(*watcher, "/a")), "watch");
  simulation_.fall_behind(kFar);
  const auto set = simulation_.start(set_data(*writer, "/a", "new"));
  Calm calm;
  while (!set.done() || !watch.has_fired()) simulation_.world().step(calm);
  simulation_.send_to(*watcher, kFar);
  simulation_.cut(*watcher);
  while (watcher->state() != SessionState::kConnected ||
         simulation_.world().server().replica_of(watcher->link()) != kFar) {
    ASSERT_TRUE(simulation_.world().step_without_time(calm));
  }
  const auto read = simulation_.start(get_data(*watcher, "/a"));
  while (!read.done()) ASSERT_TRUE(simulation_.world().step_without_time(calm));
  EXPECT_EQ(must(read.result(), "get_data").data.view(), "old");
}

// PrepRequestProcessor: checkSession throws SessionMovedException; the old server drops the client.
TEST_F(ReplicaTest, Z63AWriteOverAnOldConnectionEndsIt) {
  const auto old = open("old", kNear);
  must(simulation_.run(create(*old, "/a", "x")), "create");
  auto taker =
      std::make_shared<FakeSession>(simulation_.client("taker").process(), 10s, old->credentials());
  simulation_.send_to(*taker, kFar);
  simulation_.settle();
  ASSERT_EQ(taker->state(), SessionState::kConnected);
  EXPECT_EQ(data(*old, "/a"), "x");
  const Zxid before = simulation_.world().server().last_zxid();
  simulation_.hold_inbox(*old);
  const auto write = simulation_.start(set_data(*old, "/a", "y"));
  simulation_.settle();
  EXPECT_EQ(simulation_.world().server().last_zxid(), before + 1);
  EXPECT_FALSE(simulation_.world().network()[old->link()].open);
  EXPECT_EQ(data(*taker, "/a"), "x");
}

// PrepRequestProcessor.pRequestHelper: a close is prepared without checkSession.
TEST_F(ReplicaTest, Z63ACloseOverAnOldConnectionEndsTheSession) {
  const auto old = open("old", kNear);
  must(simulation_.run(create(*old, "/a", "", CreateMode::kEphemeral)), "create");
  auto taker =
      std::make_shared<FakeSession>(simulation_.client("taker").process(), 10s, old->credentials());
  simulation_.send_to(*taker, kFar);
  simulation_.settle();
  ASSERT_EQ(taker->state(), SessionState::kConnected);
  must(simulation_.run(close(*old)), "close");
  simulation_.settle();
  EXPECT_FALSE(simulation_.world().network()[taker->link()].open);
  EXPECT_EQ(data(*open("other", kFar), "/a"), name(Error::kNoNode));
}

// ZooKeeperServer: the epoch is the upper half of a zxid; a new leader begins at zero.
TEST_F(ReplicaTest, Z14ANewLeaderBeginsANewEpoch) {
  const auto session = open("A", kNear);
  const Created first = must(simulation_.run(create(*session, "/a")), "create");
  EXPECT_EQ(first.stat.czxid >> 32, 1);
  simulation_.change_leader();
  simulation_.settle();
  const Created second = must(simulation_.run(create(*session, "/b")), "create");
  EXPECT_EQ(second.stat.czxid, (Zxid{2} << 32) + 1);
}

// Leader.lead restarts all session clocks (SessionTrackerImpl's constructor).
TEST_F(ReplicaTest, Z58ANewLeaderGivesEverySessionItsFullTime) {
  const auto session = open("A", kNear);
  const auto other = open("B", kFar);
  must(simulation_.run(create(*session, "/e", Data(), CreateMode::kEphemeral)), "create");
  simulation_.cut(*session);
  simulation_.hold_inbox(*session);
  simulation_.world().network()[session->link()].held_request = OpCode::kSync;
  simulation_.cut(*session);
  simulation_.world().network().abandon(session->link());
  simulation_.advance(9s);
  simulation_.change_leader();
  simulation_.advance(9s);
  EXPECT_TRUE(simulation_.exists("/e"));
  simulation_.advance(4s);
  EXPECT_FALSE(simulation_.exists("/e"));
}

// LearnerHandler: a follower's touches travel with its answers to the leader's pings.
TEST_F(ReplicaTest, Z81ASessionMayExpireWhileItIsBeingAnswered) {
  ServerOptions options = three_replicas();
  options.sync_limit_ticks = 10;
  Simulation simulation(options);
  const auto session = std::make_shared<FakeSession>(simulation.client("A").process(), 4s);
  simulation.send_to(*session, kFar);
  simulation.settle();
  must(simulation.run(create(*session, "/e", Data(), CreateMode::kEphemeral)), "create");
  simulation.isolate(kFar);
  simulation.advance(8s);
  EXPECT_FALSE(simulation.exists("/e"));
  EXPECT_EQ(session->state(), SessionState::kConnected);
  const auto read = simulation.start(exists(*session, "/e"));
  simulation.settle();
  EXPECT_TRUE(must(read.result(), "exists").ephemeral_owner == session->id());
  // A write is lost until the replica gives up and drops its clients.
  const auto write = simulation.start(set_data(*session, "/e", "x"));
  simulation.settle();
  EXPECT_FALSE(write.done());
  simulation.run();
  EXPECT_EQ(write.result().error(), Error::kConnectionLoss);
  EXPECT_EQ(session->state(), SessionState::kExpired);
}

// Touches since its last answer are lost: the leader counts from half a tick before (Learner.ping
// sends the table of touches and empties it; Leader.lead asks every half tick).
TEST_F(ReplicaTest, Z81TouchesDieWithTheFollower) {
  for (const Duration heard : {Duration::zero(), Duration(2s)}) {
    Simulation simulation(three_replicas());
    const auto session = std::make_shared<FakeSession>(simulation.client("A").process(), 4s);
    simulation.send_to(*session, kFar);
    simulation.settle();
    must(simulation.run(create(*session, "/e", Data(), CreateMode::kEphemeral)), "create");
    // Right after a handshake, which the leader itself hears, or long after it.
    simulation.advance(heard + 500ms);
    simulation.isolate(kFar);
    const Duration silence = heard == Duration::zero() ? 500ms : 1s;
    const TimePoint told = simulation.now() - silence;
    const TimePoint expiry = TimePoint(((told.time_since_epoch() + 4s) / Duration(2s) + 1) * 2s);
    simulation.advance(expiry - simulation.now() - 1ns);
    EXPECT_TRUE(simulation.exists("/e"));
    simulation.advance(1ns);
    EXPECT_FALSE(simulation.exists("/e"));
  }
}

// A request that a server has read is committed although its connection is gone (Z68, third case).
TEST_F(ReplicaTest, Z68AWriteIsAppliedAfterItsClientHasSeenTheLoss) {
  Simulation simulation;
  const auto session = simulation.open("A");
  const auto other = simulation.open("B");
  const auto write = simulation.start(create(*session, "/a"));
  simulation.cut_late(*session, 1);
  Calm calm;
  while (!write.done()) simulation.world().step_without_time(calm);
  EXPECT_EQ(write.result().error(), Error::kConnectionLoss);
  EXPECT_FALSE(simulation.exists("/a"));
  const auto read = simulation.start(exists(*other, "/a"));
  while (!read.done()) simulation.world().step_without_time(calm);
  EXPECT_EQ(read.result().error(), Error::kNoNode);
  simulation.settle();
  EXPECT_TRUE(simulation.exists("/a"));
}

// A server processes requests in the order in which it has read them.
TEST_F(ReplicaTest, Z68ARequestOfTheSameSessionSettlesIt) {
  Simulation simulation;
  const auto session = simulation.open("A");
  simulation.start(ignore(create(*session, "/a")));
  simulation.cut_late(*session, 1);
  lose_and_reconnect(simulation, *session);
  EXPECT_FALSE(simulation.exists("/a"));
  EXPECT_TRUE(simulation.run(sync(*session, "/")));
  EXPECT_TRUE(simulation.exists("/a"));
}

// Leader.revalidate moves the session to its new server; what the old one forwards is refused.
TEST_F(ReplicaTest, Z68AMoveToAnotherServerSettlesItToo) {
  const auto session = open("A", kNear);
  simulation_.start(ignore(create(*session, "/a")));
  simulation_.send_to(*session, kFar);
  simulation_.cut_late(*session, 1);
  lose_and_reconnect(simulation_, *session);
  simulation_.settle();
  EXPECT_FALSE(simulation_.exists("/a"));
}

// Unlike a lagging replica, it stays behind whatever happens.
TEST_F(ReplicaTest, AReplicaThatIsHeldAppliesNothingUntilItIsLetGo) {
  const auto writer = open("writer", kNear);
  const auto reader = open("reader", kFar);
  World& world = simulation_.world();
  must(simulation_.run(create(*writer, "/a", "old")), "create");
  world.servers().hold_replica(kFar, true, world.now());
  must(simulation_.run(set_data(*writer, "/a", "new")), "set_data");
  Calm calm;
  while (world.step_without_time(calm)) {
  }
  EXPECT_EQ(data(*reader, "/a"), "old");
  world.servers().hold_replica(kFar, false, world.now());
  EXPECT_EQ(data(*reader, "/a"), "new");
  world.servers().hold_replica(kFar, true, world.now());
  must(simulation_.run(set_data(*writer, "/a", "newest")), "set_data");
  world.faults().change_leader();
  simulation_.settle();
  EXPECT_EQ(data(*reader, "/a"), "newest");
}

// ZKDatabase.initConfigInZKDatabase; a standalone server leaves the znode empty.
TEST_F(ReplicaTest, Z126TheConfigOfAnEnsembleNamesItsMembers) {
  for (const ReplicaIndex replica : {kNear, kFar}) {
    const auto session = open(replica == kNear ? "near" : "far", replica);
    const DataAndStat config =
        must(simulation_.run(get_data(*session, "/zookeeper/config")), "get_data");
    EXPECT_TRUE(config.data.view().starts_with("server.1="));
    EXPECT_TRUE(config.data.view().ends_with(":participant\nversion=0"));
    EXPECT_EQ(config.stat.version, -1);
    EXPECT_EQ(config.stat.data_length, static_cast<std::int32_t>(config.data.view().size()));
  }
  simulation_.change_leader();
  const auto session = open("later", kFar);
  EXPECT_TRUE(data(*session, "/zookeeper/config").starts_with("server.1="));

  Simulation alone;
  const auto standalone = alone.open("A");
  const DataAndStat empty = must(alone.run(get_data(*standalone, "/zookeeper/config")), "get_data");
  EXPECT_EQ(empty.data.view(), "");
  EXPECT_EQ(empty.stat.version, 0);
}

}  // namespace
}  // namespace lockstep::fakezk
