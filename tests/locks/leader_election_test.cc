#include "lockstep/leader_election.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string_view>

#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

class LeaderElectionTest : public SimulatedSessionsTest {
 protected:
  // The leader that C sees; "" if there is none.
  std::string_view leader() {
    leader_ = must(simulation_.run(of_c_.leader()), "leader");
    return leader_ ? leader_->candidate.view() : "";
  }

  const std::shared_ptr<FakeSession> c_ = simulation_.open("C");
  LeaderElection of_a_{*a_, "/election", "Ann"};
  LeaderElection of_b_{*b_, "/election", "Bob"};
  LeaderElection of_c_{*c_, "/election", "Cleo"};
  std::optional<Leader> leader_;
};

TEST_F(LeaderElectionTest, CandidatesLeadOneAfterTheOther) {
  EXPECT_EQ(leader(), "");
  HeldLock ann = must(simulation_.run(of_a_.campaign()), "campaign");
  const auto bob = start_and_settle(of_b_.campaign());
  EXPECT_EQ(leader(), "Ann");
  EXPECT_EQ(leader_->token, ann.fencing_token());
  EXPECT_EQ(must(simulation_.run(of_c_.candidates()), "candidates").size(), 2U);
  simulation_.run(ann.release());
  simulation_.run_until(bob);
  EXPECT_EQ(leader(), "Bob");
  EXPECT_GT(leader_->token, ann.fencing_token());
}

TEST_F(LeaderElectionTest, ObserverHearsOfEveryLeader) {
  Zxid seen = 0;
  const auto next = [&] { return start_and_settle(of_c_.leader_after(seen)); };
  const auto first = next();
  EXPECT_FALSE(first.done());  // Even the parent is missing.
  HeldLock ann = must(run_and_settle(of_a_.campaign()), "campaign");
  ASSERT_TRUE(first.done());
  EXPECT_EQ((*first.result())->candidate, Data("Ann"));
  seen = (*first.result())->seen;
  const auto second = next();
  EXPECT_FALSE(second.done());
  must(run_and_settle(of_a_.proclaim(ann, "Ann, busy")), "proclaim");
  ASSERT_TRUE(second.done());
  EXPECT_EQ((*second.result())->candidate, Data("Ann, busy"));
  EXPECT_EQ((*second.result())->token, ann.fencing_token());
  seen = (*second.result())->seen;
  const auto third = next();
  run_and_settle(ann.release());
  ASSERT_TRUE(third.done());
  EXPECT_FALSE(third.result()->has_value());
  seen = 0;
  const auto fourth = next();
  EXPECT_FALSE(fourth.done());
  const HeldLock bob = must(run_and_settle(of_b_.campaign()), "campaign");
  ASSERT_TRUE(fourth.done());
  EXPECT_EQ((*fourth.result())->token, bob.fencing_token());
}

// The leader goes between the list that showed it and the read that would watch it.
TEST_F(LeaderElectionTest, ObserverSurvivesALeaderThatGoesDuringItsLook) {
  HeldLock ann = must(simulation_.run(of_a_.campaign()), "campaign");
  const auto bob = start_and_settle(of_b_.campaign());
  simulation_.hold(*c_, OpCode::kGetData);
  const auto observed = simulation_.start(of_c_.leader_after(0));
  const auto asked = start_and_settle(of_c_.leader());
  simulation_.run(ann.release());
  simulation_.run_until(bob);
  simulation_.let_go(*c_);
  simulation_.run_until(observed);
  simulation_.run_until(asked);
  EXPECT_EQ((*observed.result())->candidate, Data("Bob"));
  EXPECT_EQ((*asked.result())->candidate, Data("Bob"));
}

// A candidate comes at each moment of an observer's first looks.
TEST_F(LeaderElectionTest, FirstLeaderIsSeenWheneverItComes) {
  for (int steps = 0; steps < 12; ++steps) {
    SCOPED_TRACE(steps);
    const auto observed = simulation_.start(of_c_.leader_after(0));
    run_steps(simulation_, steps);
    HeldLock ann = must(run_and_settle(of_a_.campaign()), "campaign");
    ASSERT_TRUE(observed.done());
    EXPECT_EQ((*observed.result())->token, ann.fencing_token());
    simulation_.run(ann.release());
    if (steps % 2 == 0) must(simulation_.run(remove(*b_, "/election")), "remove");
  }
}

// Several contenders can have that number; none becomes a candidate, and each gives up at once.
TEST_F(LeaderElectionTest, NumberAtTheEndOfTheSequenceDoesNotLead) {
  const HeldLock ann = must(simulation_.run(of_a_.campaign()), "campaign");
  const Path last("/election/_c_0-lock-2147483647");
  must(simulation_.run(create(*b_, last, "Bob", CreateMode::kEphemeral)), "create");
  EXPECT_EQ(leader(), "Ann");
  must(simulation_.run(remove(*a_, ann.znode())), "remove");
  EXPECT_EQ(leader(), "");
  const auto observed = start_and_settle(of_c_.leader_after(0));
  EXPECT_FALSE(observed.done());
}

TEST_F(LeaderElectionTest, ObservingEndsWithItsContext) {
  const auto observed = simulation_.start(of_c_.leader_after(0, simulation_.now() + 1s));
  simulation_.advance(1s);
  EXPECT_EQ(error_of(observed.result()), Error::kTimedOut);
}

TEST_F(LeaderElectionTest, ProclaimingAfterTheLossIsNoNode) {
  const HeldLock ann = must(simulation_.run(of_a_.campaign()), "campaign");
  must(simulation_.run(remove(*b_, ann.znode())), "remove");
  EXPECT_EQ(error_of(simulation_.run(of_a_.proclaim(ann, "still here"))), Error::kNoNode);
}

}  // namespace
}  // namespace lockstep
