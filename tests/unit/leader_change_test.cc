// What a change of the leader does. A real ensemble does it when it likes; here it is made to.
// Each test names the statement of ZooKeeper's source (3.8.0) that it follows.
#include <gtest/gtest.h>

#include <memory>

#include "by_hand.h"

namespace lockstep::fakezk {
namespace {

using namespace unit;

class LeaderChangeTest : public ::testing::Test {
 protected:
  static ServerOptions three_replicas() {
    ServerOptions options;
    options.replicas = 3;
    return options;
  }
  Simulation simulation_{three_replicas()};
  const std::shared_ptr<FakeSession> session_ = simulation_.open("A");
};

// That a session is closing is in the old leader's memory (SessionTrackerImpl.setSessionClosing,
// line 225); the new one tracks every session that has not been closed by a transaction
// (SessionTrackerImpl's constructor, line 117).
TEST_F(LeaderChangeTest, S58AnUncommittedExpiryIsForgotten) {
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

// It has all of its time again, and not more.
TEST_F(LeaderChangeTest, S58AForgottenExpiryComesAgain) {
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

TEST_F(LeaderChangeTest, S58ACommittedExpiryStays) {
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
