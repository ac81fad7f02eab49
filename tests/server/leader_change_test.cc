// A change of the leader loses messages and writes. A test cannot control when a real ensemble
// loses them, so the fake is made to. Each test names the statement of ZooKeeper's source (3.8.0)
// that it follows.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/lab/hunt.h"
#include "lockstep/search/chronicler.h"
#include "server/three_replicas.h"
#include "support/by_hand.h"
#include "support/numbered.h"

namespace lockstep::fakezk {
namespace {

using namespace unit;

// Strikes now, and loses the last `lost` answers of every connection.
class ChangeOfTheLeader final : public Chooser {
 public:
  explicit ChangeOfTheLeader(std::uint32_t lost) : lost_(lost) {}
  Choice next(const Menu& menu) override {
    for (std::uint32_t i = 0; i < menu.faults().size(); ++i) {
      if (menu.faults()[i].fault == FaultKind::kLeaderChange) return Choice{true, i};
    }
    ADD_FAILURE() << "no change of the leader is offered";
    return {};
  }
  std::uint32_t number(std::uint32_t options) override { return std::min(lost_, options - 1); }

 private:
  std::uint32_t lost_;
};

class LeaderChangeTest : public ::testing::Test {
 protected:
  void change_leader(std::uint32_t lost) {
    simulation_.world().set_faults(lab::faults_called("leader-change", 9));
    ChangeOfTheLeader chooser(lost);
    simulation_.world().step(chooser);
  }

  Simulation simulation_{three_replicas()};
  const std::shared_ptr<FakeSession> session_ = simulation_.open("A");
};

// The lanes' lines about a change of the leader, one for each connection with losses.
std::vector<std::string> told_by(const search::Chronicle& chronicle) {
  std::vector<std::string> lines;
  for (const search::Moment& moment : chronicle.moments) {
    if (moment.kind != search::Moment::Kind::kFault) continue;
    const bool nobody = moment.process == search::Chronicle::kNoProcess;
    lines.push_back((nobody ? "" : std::to_string(moment.process) + ": ") + moment.text);
  }
  return lines;
}

TEST_F(LeaderChangeTest, ItsLossesAreNamed) {
  const std::shared_ptr<FakeSession> other = simulation_.open("B");
  const auto sent = simulation_.start(create(*other, "/sent"));
  const auto created = simulation_.start(create(*session_, "/a"));
  while (!simulation_.exists("/sent") && !simulation_.exists("/a")) run_steps(simulation_, 1);
  search::Chronicler chronicler(simulation_.world());
  simulation_.world().set_tracer(&chronicler);
  change_leader(1);
  simulation_.world().set_tracer(nullptr);
  const std::vector<std::string> expected = {
      "another server becomes the leader, every connection ends",
      "0: the connection ends, lost: create", "1: the connection ends, lost: reply to create"};
  EXPECT_EQ(told_by(chronicler.chronicle(Numbered())), expected);
}

TEST_F(LeaderChangeTest, AChangeWithoutLossesNamesNone) {
  const auto created = simulation_.start(create(*session_, "/a"));
  run_steps(simulation_, 1);
  search::Chronicler chronicler(simulation_.world());
  simulation_.world().set_tracer(&chronicler);
  change_leader(0);
  simulation_.world().set_tracer(nullptr);
  const std::vector<std::string> expected = {
      "another server becomes the leader, every connection ends"};
  EXPECT_EQ(told_by(chronicler.chronicle(Numbered())), expected);
}

// Leader.shutdown, line 830, and Learner.shutdown, line 861: closeAllConnections. Commits persist
// (Z68, second case).
TEST_F(LeaderChangeTest, Z68WhatWasAppliedMayGoUnanswered) {
  const auto created = simulation_.start(create(*session_, "/a"));
  run_steps(simulation_, 1);
  ASSERT_TRUE(simulation_.exists("/a"));
  ASSERT_FALSE(created.done());
  change_leader(1);
  simulation_.settle();
  EXPECT_EQ(error_of(created.result()), Error::kConnectionLoss);
  EXPECT_TRUE(simulation_.exists("/a"));
  EXPECT_EQ(session_->state(), SessionState::kConnected);
}

// Replies sent before the end may arrive; of several, the first ones do.
TEST_F(LeaderChangeTest, Z67APartOfTheAnswersArrives) {
  for (const std::uint32_t lost : {0U, 1U, 2U}) {
    const Path parent = "/" + std::to_string(lost);
    must(simulation_.run(create(*session_, parent)), "create");
    simulation_.hold_inbox(*session_);
    const auto first = simulation_.start(create(*session_, parent / "first"));
    const auto second = simulation_.start(create(*session_, parent / "second"));
    simulation_.settle();
    simulation_.let_go(*session_);
    change_leader(lost);
    simulation_.settle();
    EXPECT_EQ(children(simulation_, parent).size(), 2U);
    EXPECT_EQ(first.result().has_value(), lost < 2);
    EXPECT_EQ(second.result().has_value(), lost < 1);
    if (lost > 0) {
      EXPECT_EQ(error_of(second.result()), Error::kConnectionLoss);
    }
  }
}

// Chooses by number only.
class LosesAnswers final : public Chooser {
 public:
  explicit LosesAnswers(std::uint32_t lost) : lost_(lost) {}
  Choice next(const Menu&) override { return {}; }
  std::uint32_t number(std::uint32_t options) override { return std::min(lost_, options - 1); }

 private:
  std::uint32_t lost_;
};

// So does a single server that has been without its leader for too long (QuorumPeer.run, FOLLOWING:
// Follower.shutdown).
TEST(LostLeaderTest, Z68AServerThatLooksForItsLeaderLosesAnswers) {
  for (const std::uint32_t lost : {0U, 1U}) {
    Simulation simulation(three_replicas());
    const auto session = simulation.open("A");
    simulation.hold_inbox(*session);
    const auto created = simulation.start(create(*session, "/a"));
    simulation.settle();
    const ReplicaIndex here = simulation.world().server().replica_of(session->link());
    simulation.isolate(here);
    LosesAnswers chooser(lost);
    while (simulation.world().server().replica(here).unreachable) {
      ASSERT_TRUE(simulation.world().step(chooser));
    }
    simulation.let_go(*session);
    simulation.settle();
    EXPECT_EQ(created.result().has_value(), lost == 0);
    EXPECT_TRUE(simulation.exists("/a"));
  }
}

// Nothing returns that the leader has not proposed: its queues and its learners' are cleared
// (PrepRequestProcessor.shutdown, line 1073, FollowerRequestProcessor.shutdown, line 174).
TEST_F(LeaderChangeTest, Z68WhatWasNotProposedIsLost) {
  const auto sent = simulation_.start(create(*session_, "/sent"));
  change_leader(0);
  simulation_.settle();
  EXPECT_EQ(error_of(sent.result()), Error::kConnectionLoss);
  const auto read = simulation_.start(create(*session_, "/read"));
  simulation_.cut_late(*session_, 1);
  change_leader(0);
  simulation_.settle();
  EXPECT_EQ(error_of(read.result()), Error::kConnectionLoss);
  EXPECT_TRUE(children(simulation_, "/") == std::vector<std::string>{"zookeeper"});
}

// Only the old leader's memory marks a session as closing (SessionTrackerImpl.setSessionClosing,
// line 225); the new leader tracks every session that no transaction has closed
// (SessionTrackerImpl's constructor, line 117).
TEST_F(LeaderChangeTest, Z58AnUncommittedExpiryIsForgotten) {
  must(simulation_.run(create(*session_, "/e", Data(), CreateMode::kEphemeral)), "create");
  simulation_.kill(*session_);
  ASSERT_EQ(simulation_.world().server().closing().size(), 1U);
  simulation_.change_leader();
  EXPECT_TRUE(simulation_.world().server().closing().empty());
  simulation_.settle();
  EXPECT_TRUE(simulation_.exists("/e"));
  EXPECT_EQ(session_->state(), SessionState::kConnected);
  must(simulation_.run(set_data(*session_, "/e", "x")), "set_data");
}

// It has its full time again, and no more.
TEST_F(LeaderChangeTest, Z58AForgottenExpiryComesAgain) {
  must(simulation_.run(create(*session_, "/e", Data(), CreateMode::kEphemeral)), "create");
  simulation_.kill(*session_);
  simulation_.world().network()[session_->link()].held_request = OpCode::kSync;
  simulation_.cut(*session_);
  simulation_.world().network().abandon(session_->link());
  simulation_.change_leader();
  simulation_.advance(session_->timeout() - 1s);
  EXPECT_TRUE(simulation_.exists("/e"));
  simulation_.advance(5s);
  EXPECT_FALSE(simulation_.exists("/e"));
}

TEST_F(LeaderChangeTest, Z58ACommittedExpiryStays) {
  must(simulation_.run(create(*session_, "/e", Data(), CreateMode::kEphemeral)), "create");
  simulation_.kill(*session_);
  simulation_.settle();
  EXPECT_FALSE(simulation_.exists("/e"));
  simulation_.change_leader();
  simulation_.settle();
  EXPECT_FALSE(simulation_.exists("/e"));
  EXPECT_EQ(session_->state(), SessionState::kExpired);
}

}  // namespace
}  // namespace lockstep::fakezk
