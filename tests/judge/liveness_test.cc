// L1 when only time can pass: a contender that could hold is not kept waiting.
#include <gtest/gtest.h>

#include <chrono>

#include "lockstep/lab/hunt.h"
#include "oracles_by_hand.h"

namespace lockstep::judge {
namespace {

using namespace unit;
using namespace std::chrono_literals;

class LivenessTest : public OraclesOfRules {
 protected:
  Created wait(FakeSession& session, std::uint32_t process,
               std::string_view prefix = "/lock/x-lock-") {
    oracles().acquiring(session.id(), process);
    return place(session, prefix);
  }
  void strike_once() {
    class FirstFault final : public fakezk::Chooser {
      fakezk::Choice next(const fakezk::Menu&) override { return {true, 0}; }
      std::uint32_t number(std::uint32_t) override { return 0; }
    } chooser;
    simulation_.world().set_faults(lab::faults_called("cut", 1));
    const auto request = simulation_.start(get_children(*b_, "/"));
    simulation_.world().step(chooser);
    ASSERT_EQ(simulation_.world().faults_injected(), 1U);
    simulation_.settle();
  }
  // Only time passes, in two parts.
  void rest(Duration time) {
    oracles().at_rest(simulation_.now() + time / 2);
    simulation_.advance(time / 2);
    oracles().at_rest(simulation_.now() + time / 2);
    simulation_.advance(time / 2);
  }
};

TEST_F(LivenessTest, AFirstContenderWithoutAGrantBreaksL1) {
  judge(mutex_rules());
  wait(*a_, 0);
  rest(30s);
  EXPECT_EQ(broken(), "") << message();
  rest(1s);
  expect_broken("L1", "it is the turn of /lock/x-lock-0000000000");
}

// A client that new faults keep away needs its time again.
TEST_F(LivenessTest, AFaultBeginsTheWaitAgain) {
  judge(mutex_rules());
  wait(*a_, 0);
  rest(20s);
  strike_once();
  rest(20s);
  EXPECT_EQ(broken(), "") << message();
  rest(20s);
  EXPECT_EQ(broken(), "L1");
}

TEST_F(LivenessTest, AHolderAndTheWaiterAfterItMayWaitForever) {
  judge(mutex_rules());
  const Created first = wait(*a_, 0);
  oracles().granted(grant(*a_, first));
  wait(*b_, 1);
  rest(1h);
  EXPECT_EQ(broken(), "") << message();
}

TEST_F(LivenessTest, TheTurnComesWhenThePredecessorHasGone) {
  judge(mutex_rules());
  const Created first = wait(*a_, 0);
  oracles().granted(grant(*a_, first));
  wait(*b_, 1);
  rest(1min);
  remove_znode(*a_, first);
  rest(20s);
  EXPECT_EQ(broken(), "") << message();
  rest(20s);
  EXPECT_EQ(broken(), "L1");
}

TEST_F(LivenessTest, ReadersDoNotWaitForReaders) {
  judge(read_write_rules());
  const Created first = wait(*a_, 0, "/lock/x-__READ__");
  oracles().granted(shared(*a_, first));
  wait(*b_, 1, "/lock/x-__READ__");
  rest(31s);
  EXPECT_EQ(broken(), "L1");
}

TEST_F(LivenessTest, ALeaseCountsOnceThereIsRoom) {
  judge(semaphore_rules(1));
  const Created first = wait(*a_, 0, "/lock/x-lease-");
  oracles().granted(shared(*a_, first));
  wait(*b_, 1, "/lock/x-lease-");
  rest(1h);
  EXPECT_EQ(broken(), "") << message();
  remove_znode(*a_, first);
  rest(31s);
  EXPECT_EQ(broken(), "L1");
}

TEST_F(LivenessTest, TheFirstOfAQueueMayHoldTogether) {
  judge(first_of_queue_rules(2));
  const Created first = wait(*a_, 0);
  const Created second = wait(*b_, 1);
  oracles().granted(grant(*b_, second));
  oracles().granted(grant(*a_, first));
  const Created third = wait(*a_, 0);
  rest(1h);
  EXPECT_EQ(broken(), "") << message();
  remove_znode(*a_, first);
  rest(31s);
  expect_broken("L1", third.path.string());
}

TEST_F(LivenessTest, AThirdHolderWhereTwoMayHoldBreaksS1) {
  judge(first_of_queue_rules(2));
  wait(*a_, 0);
  wait(*b_, 1);
  oracles().granted(grant(*a_, wait(*a_, 0)));
  EXPECT_EQ(broken(), "S1");
}

// Whose reader it is, that of the upgrade or that of another user, does not show.
TEST_F(LivenessTest, AWriterBehindAReaderOfItsSessionIsNotJudged) {
  judge(read_write_rules());
  oracles().granted(shared(*a_, place(*a_, "/lock/x-__READ__")));
  wait(*a_, 0, "/lock/x-__WRIT__");
  rest(1h);
  EXPECT_EQ(broken(), "") << message();
}

TEST_F(LivenessTest, AnEndedAcquireDoesNotWait) {
  judge(mutex_rules());
  wait(*a_, 0);
  oracles().resolved(a_->id());
  rest(1h);
  EXPECT_EQ(broken(), "") << message();
}

}  // namespace
}  // namespace lockstep::judge
