#include "lockstep/unfair_mutex.h"

#include <gtest/gtest.h>

#include <memory>

#include "by_hand.h"
#include "lockstep/task_set.h"

namespace lockstep {
namespace {

using namespace unit;

class UnfairMutexTest : public ::testing::Test {
 protected:
  HeldLock hold(UnfairMutex& mutex) { return must(simulation_.run(mutex.acquire()), "acquire"); }

  Simulation simulation_;
  const std::shared_ptr<FakeSession> a_ = simulation_.open("A");
  const std::shared_ptr<FakeSession> b_ = simulation_.open("B");
  UnfairMutex of_a_{*a_, "/locks/one"};
  UnfairMutex of_b_{*b_, "/locks/one"};
};

TEST_F(UnfairMutexTest, TryingCostsOneRequestAndLeavesNothing) {
  HeldLock held = hold(of_a_);
  const RequestCounter requests(simulation_);
  EXPECT_EQ(error_of(simulation_.run(of_b_.try_acquire())), Error::kConflict);
  simulation_.settle();
  EXPECT_EQ(requests.total(), 1U);
  EXPECT_EQ(simulation_.run(held.release()), ReleaseOutcome::kReleased);
  EXPECT_TRUE(simulation_.run(of_b_.try_acquire()).has_value());
}

TEST_F(UnfairMutexTest, WaiterFollows) {
  HeldLock held = hold(of_a_);
  const auto by_b = simulation_.start(of_b_.acquire());
  simulation_.settle();
  EXPECT_FALSE(by_b.done());
  simulation_.run(held.release());
  simulation_.run_until(by_b);
  EXPECT_GT(by_b.result()->fencing_token(), held.fencing_token());
}

TEST_F(UnfairMutexTest, HolderGoneBetweenTheTryAndTheWatchIsNoReasonToWait) {
  HeldLock held = hold(of_a_);
  simulation_.hold(*b_, OpCode::kGetData);
  const auto by_b = simulation_.start(of_b_.acquire());
  simulation_.settle();
  simulation_.run(held.release());
  simulation_.let_go(*b_);
  simulation_.run_until(by_b);
}

TEST_F(UnfairMutexTest, CreateWhoseReplyIsLostIsFound) {
  must(simulation_.run(create(*a_, "/locks")), "create");
  const auto acquired = simulation_.start(of_a_.acquire());
  simulation_.cut(*a_, 1);
  simulation_.run_until(acquired);
  ASSERT_TRUE(acquired.result().has_value());
  EXPECT_EQ(creates_under(simulation_, "/locks"), 1U);
}

// The first attempt to delete has succeeded, its reply is lost, and another session holds by now:
// the second attempt must not delete its znode.
TEST_F(UnfairMutexTest, ReleaseIsNotRepeatedOnAnothersZnode) {
  HeldLock held = hold(of_a_);
  const auto released = simulation_.start(held.release());
  disconnect(simulation_, *a_, 1);
  const HeldLock of_b = hold(of_b_);
  reconnect(simulation_, *a_);
  ASSERT_TRUE(released.done());
  EXPECT_EQ(released.result(), ReleaseOutcome::kReleased);
  EXPECT_TRUE(simulation_.exists(of_b.znode()));
  EXPECT_EQ(of_b.state(), LockState::kHeld);
}

TEST_F(UnfairMutexTest, DestroyedAttemptLeavesNothingAndTouchesNobodyElse) {
  must(simulation_.run(create(*a_, "/locks")), "create");
  for (const bool somebody_holds : {false, true}) {
    std::optional<HeldLock> other;
    if (somebody_holds) other.emplace(hold(of_b_));
    TaskSet tasks;
    tasks.spawn(ignore(of_a_.acquire()));  // The create is under way.
    simulation_.world().drain();
    tasks.clear();
    simulation_.settle();
    EXPECT_EQ(simulation_.exists("/locks/one"), somebody_holds);
  }
}

TEST_F(UnfairMutexTest, SecondAcquireOfOneSessionWaits) {
  HeldLock held = hold(of_a_);
  const auto again = simulation_.start(of_a_.acquire(simulation_.now() + 1s));
  simulation_.advance(1s);
  EXPECT_EQ(error_of(again.result()), Error::kTimedOut);
  EXPECT_TRUE(simulation_.exists(held.znode()));
}

TEST_F(UnfairMutexTest, MalformedPathIsBadArguments) {
  for (const char* const path : {"", "lock", "/a//b", "/a/"}) {
    UnfairMutex mutex(*a_, path);
    EXPECT_EQ(error_of(simulation_.run(mutex.acquire())), Error::kBadArguments) << path;
  }
}

}  // namespace
}  // namespace lockstep
