// Servers that forget acknowledged writes, as ZooKeeper up to 3.8.4 and 3.9.1 can (Z119): a
// follower that is killed between QuorumPeer.setCurrentEpoch and the log's sync in
// Learner.syncWithLeader (3.8.0) comes back with a newer epoch than its log justifies, and is
// elected for it (FastLeaderElection.totalOrderPredicate).
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/search/chronicler.h"
#include "lockstep/search/schedule.h"
#include "search/hunting.h"
#include "server/three_replicas.h"
#include "support/by_hand.h"
#include "support/numbered.h"

namespace lockstep::fakezk {
namespace {

using namespace unit;

class ForgottenWritesTest : public ::testing::Test {
 protected:
  static constexpr int kEpochShift = 32;

  Stat create_ephemeral(const Path& path, std::string_view data = "") {
    const auto created =
        simulation_.run(create(*session_, path, Data(data), CreateMode::kEphemeral));
    return must(created, "create").stat;
  }
  void forget(std::uint32_t writes) {
    simulation_.forget_writes(writes);
    simulation_.settle();
  }
  [[nodiscard]] bool alive() { return server().session_alive(session_->id()); }
  [[nodiscard]] const Server& server() { return simulation_.world().server(); }

  Simulation simulation_{three_replicas()};
  const std::shared_ptr<FakeSession> session_ = simulation_.open("A");
};

TEST_F(ForgottenWritesTest, Z119ACreatedZnodeIsGoneAndItsSessionLives) {
  create_ephemeral("/kept");
  create_ephemeral("/forgotten");
  forget(1);
  EXPECT_TRUE(simulation_.exists("/kept"));
  EXPECT_FALSE(simulation_.exists("/forgotten"));
  EXPECT_TRUE(alive());
  EXPECT_EQ(session_->state(), SessionState::kConnected);
  for (ReplicaIndex index = 0; index < 3; ++index) {
    EXPECT_EQ(
        server().replica(index).tree().find(*server().paths().find(Path("/forgotten").text())),
        nullptr);
  }
}

TEST_F(ForgottenWritesTest, Z119ADeletedEphemeralIsBackAndEndsWithItsSession) {
  const Stat stat = create_ephemeral("/e", "old");
  must(simulation_.run(remove(*session_, "/e")), "remove");
  forget(1);
  ASSERT_NE(znode(simulation_, "/e"), nullptr);
  EXPECT_EQ(znode(simulation_, "/e")->czxid, stat.czxid);
  EXPECT_EQ(znode(simulation_, "/e")->data.view(), "old");
  EXPECT_EQ(znode(simulation_, "/e")->ephemeral_owner, session_->id());
  must(simulation_.run(close(*session_)), "close");
  EXPECT_FALSE(simulation_.exists("/e"));
}

TEST_F(ForgottenWritesTest, Z119DataAndCountersGoBack) {
  create_ephemeral("/e", "old");
  must(simulation_.run(create(*session_, "/p")), "create");
  must(simulation_.run(create(*session_, "/p/n", Data(), CreateMode::kPersistentSequential)), "n");
  const Zxid pzxid = znode(simulation_, "/p")->pzxid;
  must(simulation_.run(set_data(*session_, "/e", Data("new"))), "set");
  must(simulation_.run(create(*session_, "/p/n", Data(), CreateMode::kPersistentSequential)), "n");
  forget(2);
  EXPECT_EQ(znode(simulation_, "/e")->data.view(), "old");
  EXPECT_EQ(znode(simulation_, "/e")->version, 0);
  EXPECT_EQ(znode(simulation_, "/p")->pzxid, pzxid);
  EXPECT_EQ(children(simulation_, "/p"), std::vector<std::string>{"n0000000000"});
  const auto next =
      simulation_.run(create(*session_, "/p/n", Data(), CreateMode::kPersistentSequential));
  EXPECT_EQ(must(next, "create").path, "/p/n0000000001");
}

// A fencing token is a czxid: those of the new epoch exceed all that were forgotten.
TEST_F(ForgottenWritesTest, Z119TokensGrowNevertheless) {
  const Zxid forgotten = create_ephemeral("/lock").czxid;
  forget(1);
  const Zxid token = create_ephemeral("/lock").czxid;
  EXPECT_GT(token, forgotten);
  EXPECT_EQ(token >> kEpochShift, (forgotten >> kEpochShift) + 1);
}

// A client that comes back sets its watches again, and the server compares (Z51).
TEST_F(ForgottenWritesTest, Z119AWatchTellsThatTheZnodeIsGone) {
  create_ephemeral("/e");
  const auto watch = must(simulation_.run(watch_data(*session_, "/e")), "watch");
  const auto heard = simulation_.start(fired(watch));
  forget(1);
  ASSERT_TRUE(heard.done());
  EXPECT_EQ(must(heard.result(), "watch").type(), EventType::kDeleted);
}

TEST_F(ForgottenWritesTest, SessionsAndEarlierWritesStay) {
  create_ephemeral("/before");
  const auto other = simulation_.open("B");
  create_ephemeral("/after");
  EXPECT_EQ(server().forgettable(), 1U);
  forget(2);
  EXPECT_TRUE(simulation_.exists("/before"));
  EXPECT_FALSE(simulation_.exists("/after"));
  create_ephemeral("/again");
  must(simulation_.run(close(*other)), "close");
  EXPECT_EQ(server().forgettable(), 0U);
}

TEST_F(ForgottenWritesTest, AnAdvancedCounterStays) {
  must(simulation_.run(create(*session_, "/p")), "create");
  must(simulation_.run(create(*session_, "/p/n", Data(), CreateMode::kPersistentSequential)), "n");
  simulation_.wind_sequence("/p", 7);
  must(simulation_.run(create(*session_, "/p/n", Data(), CreateMode::kPersistentSequential)), "n");
  forget(9);
  const auto next =
      simulation_.run(create(*session_, "/p/n", Data(), CreateMode::kPersistentSequential));
  EXPECT_EQ(must(next, "create").path, "/p/n0000000007");
}

TEST_F(ForgottenWritesTest, AStandaloneServerForgetsNothing) {
  Simulation alone;
  const auto session = alone.open("A");
  must(alone.run(create(*session, "/a")), "create");
  EXPECT_EQ(alone.world().server().forgettable(), 0U);
  alone.forget_writes(1);
  alone.settle();
  EXPECT_TRUE(alone.exists("/a"));
}

TEST_F(ForgottenWritesTest, TheHistoryRecordsTheDifferences) {
  create_ephemeral("/deleted");
  create_ephemeral("/set", "old");
  must(simulation_.run(remove(*session_, "/deleted")), "remove");
  must(simulation_.run(set_data(*session_, "/set", Data("new"))), "set");
  create_ephemeral("/created");
  create_ephemeral("/brief");
  must(simulation_.run(remove(*session_, "/brief")), "remove");
  const std::size_t before = server().history().size();
  forget(5);
  std::vector<std::string> told;
  for (const Change& change : std::span(server().history()).subspan(before)) {
    EXPECT_EQ(change.actor, kForgetfulness);
    EXPECT_EQ(change.owner, session_->id());
    const bool comes = change.kind == Change::Kind::kCreated;
    const bool goes = change.kind == Change::Kind::kDeleted;
    const std::string sign = comes ? "+ " : goes ? "- " : "~ ";
    told.push_back(sign + server().paths().path(change.path).string() + ' ' +
                   std::string(change.data.view()));
  }
  EXPECT_EQ(told, (std::vector<std::string>{"- /created ", "+ /deleted ", "~ /set old"}));
}

// "all" keeps ZooKeeper's promises; this fault must be named.
TEST(ForgottenWritesPlanTest, MustBeNamed) {
  constexpr FaultKinds kForgets = bit(FaultKind::kForgottenWrites);
  EXPECT_EQ(FaultPlan::all(2).kinds() & kForgets, 0U);
  EXPECT_EQ(FaultPlan::all(2).most(FaultKind::kForgottenWrites), 0U);
  FaultPlan both;
  both.set_total(2);
  EXPECT_EQ(search::parse_fault_kinds("all,forgotten-writes:1", both), "");
  EXPECT_EQ(both.kinds(), kAllFaultKinds | kForgets);
  EXPECT_EQ(both.most(FaultKind::kForgottenWrites), 1U);
  FaultPlan twice;
  EXPECT_NE(search::parse_fault_kinds("all,cut", twice), "");
  EXPECT_NE(search::parse_fault_kinds("forgotten-writes,all", twice), "");
}

// The oracles that executions of the scenario break when the servers forget writes.
std::vector<std::string> broken_by_forgetting(std::string_view scenario, lab::ScenarioSize size,
                                              std::uint64_t executions) {
  search::ExecutionLimits limits;
  limits.faults.allow(FaultKind::kForgottenWrites, 1);
  limits.faults.set_total(1);
  search::Searcher searcher(scenarios::find(scenario)->make(size), search::make_portfolio(), limits,
                            1);
  std::vector<std::string> broken;
  for (std::uint64_t execution = 0; execution < executions; ++execution) {
    const search::Outcome outcome = searcher.run(execution);
    if (outcome.violation) broken.push_back(outcome.violation->oracle);
  }
  return broken;
}

bool has(const std::vector<std::string>& broken, std::string_view oracle) {
  return std::ranges::find(broken, oracle) != broken.end();
}

constexpr std::uint64_t kExecutions = 3000;

// If a create is forgotten, the next contender enters while the holder holds. If a delete is
// forgotten, the released lock's znode is back, and its session lives.
TEST(ForgottenWritesHuntTest, Z119ABrokenPromiseBreaksTheMutex) {
  const auto broken = broken_by_forgetting("fair-mutex-on-three-servers", {3, 2}, kExecutions);
  EXPECT_TRUE(has(broken, "S1"));
  EXPECT_TRUE(has(broken, "L1"));
  EXPECT_FALSE(has(broken, "S3"));  // Fencing tokens still grow.
  EXPECT_FALSE(has(broken, "crash"));
  EXPECT_FALSE(has(broken, "livelock"));
}

TEST(ForgottenWritesHuntTest, Z119AReadWriteQueueStarves) {
  const auto broken = broken_by_forgetting("read-write-lock-on-three-servers", {4, 2}, kExecutions);
  EXPECT_TRUE(has(broken, "L1"));
  EXPECT_FALSE(has(broken, "S3"));
}

}  // namespace
}  // namespace lockstep::fakezk
