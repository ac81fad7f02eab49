#include "lockstep/double_barrier.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/task_set.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

using Member = DoubleBarrier::Member;
using Entering = Started<Result<Member>>;
using Leaving = Started<Result<void>>;

class DoubleBarrierTest : public SimulatedSessionsTest {
 protected:
  Entering enter(DoubleBarrier& barrier, Context context = {}) {
    return start_and_settle(barrier.enter(std::move(context)));
  }
  Leaving leave(const Entering& entered, Context context = {}) {
    return start_and_settle(entered.result()->leave(std::move(context)));
  }
  std::size_t members() {
    std::size_t count = 0;
    for (const std::string& name : children(simulation_, "/b")) count += name != "ready" ? 1 : 0;
    return count;
  }

  const std::shared_ptr<FakeSession> c_ = simulation_.open("C");
  DoubleBarrier of_a_{*a_, "/b", 2};
  DoubleBarrier of_b_{*b_, "/b", 2};
  DoubleBarrier of_c_{*c_, "/b", 2};
};

TEST_F(DoubleBarrierTest, AllEnterWhenAllHaveComeAndLeaveWhenAllHaveLeft) {
  const Entering a = enter(of_a_);
  EXPECT_FALSE(a.done());
  const Entering b = enter(of_b_);
  ASSERT_TRUE(a.done());
  ASSERT_TRUE(b.done());
  EXPECT_EQ(a.result()->round(), b.result()->round());
  const Leaving a_leaves = leave(a);
  EXPECT_FALSE(a_leaves.done());
  const Leaving b_leaves = leave(b);
  EXPECT_TRUE(a_leaves.done());
  EXPECT_TRUE(b_leaves.done());
  EXPECT_EQ(members(), 0U);
}

TEST_F(DoubleBarrierTest, TheHighestMayLeaveFirst) {
  const Entering a = enter(of_a_);
  const Entering b = enter(of_b_);
  const Leaving b_leaves = leave(b);
  EXPECT_FALSE(b_leaves.done());
  EXPECT_EQ(members(), 1U);  // All others wait for the lowest one.
  const Leaving a_leaves = leave(a);
  EXPECT_TRUE(a_leaves.done());
  EXPECT_TRUE(b_leaves.done());
}

// The "ready" of the first round opens no later one.
TEST_F(DoubleBarrierTest, EachRoundWaitsForItsOwnMembers) {
  for (int round = 0; round < 3; ++round) {
    const Entering a = enter(of_a_);
    EXPECT_FALSE(a.done()) << round;
    const Entering b = enter(of_b_);
    ASSERT_TRUE(a.done() && b.done()) << round;
    const Leaving b_leaves = leave(b);
    const Leaving a_leaves = leave(a);
    EXPECT_TRUE(a_leaves.done() && b_leaves.done()) << round;
  }
}

TEST_F(DoubleBarrierTest, AMemberThatComesLateWaitsForTheNextRound) {
  const Entering a = enter(of_a_);
  const Entering b = enter(of_b_);
  const Entering late = enter(of_c_);
  const Entering other = enter(of_a_);  // A second member of the first session.
  EXPECT_FALSE(late.done());
  EXPECT_FALSE(other.done());  // Two wait, but the previous round is not over.
  const Leaving a_leaves = leave(a);
  EXPECT_FALSE(late.done());
  const Leaving b_leaves = leave(b);
  EXPECT_TRUE(a_leaves.done() && b_leaves.done());
  ASSERT_TRUE(late.done() && other.done());
  EXPECT_GT(late.result()->round(), a.result()->round());
}

TEST_F(DoubleBarrierTest, MoreMembersThanNeededMayEnterTogether) {
  DoubleBarrier three(*a_, "/b", 3);
  const Entering a = enter(three);
  const Entering b = enter(of_b_);  // Two are enough for this round.
  EXPECT_TRUE(a.done());
  EXPECT_TRUE(b.done());
}

TEST_F(DoubleBarrierTest, AMemberThatGaveUpHasNotCome) {
  const Entering a = enter(of_a_, simulation_.now() + 5s);
  simulation_.advance(5s);
  EXPECT_EQ(error_of(a.result()), Error::kTimedOut);
  EXPECT_EQ(members(), 0U);
  const Entering b = enter(of_b_);
  EXPECT_FALSE(b.done());
  const Entering c = enter(of_c_);
  EXPECT_TRUE(b.done() && c.done());
}

TEST_F(DoubleBarrierTest, AMemberThatGivesUpWhileTheRoundBeginsHasNotCome) {
  for (int round = 0; round < 2; ++round) {  // The first one creates "ready".
    const Entering a = enter(of_a_, simulation_.now() + 5s);
    simulation_.hold(*b_, OpCode::kMulti);
    const Entering b = enter(of_b_);
    simulation_.advance(5s);
    EXPECT_EQ(error_of(a.result()), Error::kTimedOut);
    let_go_and_settle(*b_);
    ASSERT_FALSE(b.done()) << round;
    const Entering c = enter(of_c_);
    ASSERT_TRUE(b.done() && c.done()) << round;
    leave(b);
    leave(c);
  }
}

TEST_F(DoubleBarrierTest, AMemberThatOthersMayNotReadDoesNotCount) {
  LockOptions options;
  options.acl = Acl({AclEntry(permission::kAll & ~permission::kRead, "world", "anyone")});
  must(simulation_.run(create(*b_, "/b")), "create");
  DoubleBarrier secret(*a_, "/b", 2, options);
  const Entering a = enter(secret);
  const Entering b = enter(of_b_);
  EXPECT_EQ(error_of(b.result()), Error::kNoAuth);
  EXPECT_FALSE(a.done());
  simulation_.end_tasks();
}

TEST_F(DoubleBarrierTest, ADestroyedTaskHasNotCome) {
  {
    TaskSet tasks;
    tasks.spawn(ignore(of_a_.enter()));
    simulation_.settle();
    EXPECT_EQ(members(), 1U);
  }
  simulation_.settle();
  EXPECT_EQ(members(), 0U);
}

TEST_F(DoubleBarrierTest, AMemberThatDiesInsideIsNotWaitedFor) {
  const Entering a = enter(of_a_);
  const Entering b = enter(of_b_);
  const Leaving b_leaves = leave(b);
  EXPECT_FALSE(b_leaves.done());
  simulation_.expire(*a_);
  simulation_.settle();
  EXPECT_TRUE(b_leaves.done());
  reconnect(simulation_, *a_);
  EXPECT_EQ(a.result()->held().state(), LockState::kLost);
  EXPECT_EQ(error_of(leave(a).result()), Error::kSessionExpired);
}

TEST_F(DoubleBarrierTest, AMemberThatDiesOutsideMustComeAgain) {
  const Entering a = enter(of_a_);
  kill_and_settle(*a_);
  EXPECT_EQ(error_of(a.result()), Error::kSessionExpired);
  const Entering b = enter(of_b_);
  EXPECT_FALSE(b.done());
  const Entering c = enter(of_c_);
  EXPECT_TRUE(b.done());
}

TEST_F(DoubleBarrierTest, AMemberThatRunsOutOfTimeHasLeft) {
  const Entering a = enter(of_a_);
  const Entering b = enter(of_b_);
  const Leaving a_leaves = leave(a, simulation_.now() + 5s);
  simulation_.advance(5s);
  EXPECT_EQ(error_of(a_leaves.result()), Error::kTimedOut);
  simulation_.settle();
  EXPECT_EQ(members(), 1U);
  EXPECT_TRUE(leave(b).done());
}

TEST_F(DoubleBarrierTest, AMemberThatIsDroppedHasLeft) {
  const Entering b = [&] {
    const Entering a = enter(of_a_);
    const Entering entered = enter(of_b_);
    const Member dropped = std::move(*a.result());
    return entered;
  }();
  simulation_.settle();
  EXPECT_EQ(members(), 1U);
  EXPECT_TRUE(leave(b).done());
}

TEST_F(DoubleBarrierTest, SurvivesACutAnywhere) {
  for (int steps = 0; steps < 30; ++steps) {
    SCOPED_TRACE(steps);
    const auto a = simulation_.start(of_a_.enter());
    const auto b = simulation_.start(of_b_.enter());
    run_steps(simulation_, steps);
    simulation_.cut(*a_, static_cast<std::uint32_t>(steps) % 3, 9);
    simulation_.run_until(a);
    simulation_.run_until(b);
    const auto a_leaves = simulation_.start(a.result()->leave());
    const auto b_leaves = simulation_.start(b.result()->leave());
    run_steps(simulation_, steps);
    simulation_.cut(*b_, static_cast<std::uint32_t>(steps) % 3, 9);
    simulation_.run_until(a_leaves);
    simulation_.run_until(b_leaves);
    simulation_.settle();
    EXPECT_EQ(members(), 0U);
  }
}

// At the end of the sequence all later numbers are equal, and their creators give up.
TEST_F(DoubleBarrierTest, ANumberWithoutOrderIsNoMember) {
  const Entering a = enter(of_a_);
  must(simulation_.run(create(*b_, "/b/_c_0-member-2147483647")), "create");
  const Entering b = enter(of_b_);
  ASSERT_TRUE(a.done() && b.done());
  EXPECT_EQ(a.result()->round(), 2);  // The server counts every child.
  const Leaving b_leaves = leave(b);
  EXPECT_TRUE(leave(a).done());
  EXPECT_TRUE(b_leaves.done());
}

TEST_F(DoubleBarrierTest, BadInputIsAnErrorAndLeavesNothing) {
  DoubleBarrier of_nobody(*a_, "/b", 0);
  EXPECT_EQ(error_of(simulation_.run(of_nobody.enter())), Error::kBadArguments);
  DoubleBarrier relative(*a_, "b", 1);
  EXPECT_EQ(error_of(simulation_.run(relative.enter())), Error::kBadArguments);
  EXPECT_FALSE(simulation_.exists("/b"));
  must(simulation_.run(create(*a_, "/b")), "create");
  must(simulation_.run(create(*a_, "/b/ready", "yes")), "create");
  EXPECT_EQ(error_of(run_and_settle(of_a_.enter())), Error::kMarshallingError);
  EXPECT_EQ(members(), 0U);
}

}  // namespace
}  // namespace lockstep
