#include "lockstep/multi_lock.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "lockstep/fair_mutex.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

class MultiLockTest : public ::testing::Test {
 protected:
  static std::vector<Path> paths(std::initializer_list<const char*> names) {
    return {names.begin(), names.end()};
  }
  std::size_t contenders(const Path& lock) { return children(simulation_, lock).size(); }

  Simulation simulation_;
  const std::shared_ptr<FakeSession> a_ = simulation_.open("A");
  const std::shared_ptr<FakeSession> b_ = simulation_.open("B");
};

TEST_F(MultiLockTest, HoldsAllInTheOrderOfTheirPathsAndReleasesAll) {
  MultiLock locks(*a_, paths({"/m/c", "/m/a", "/m/b", "/m/a"}));
  HeldLocks held = must(simulation_.run(locks.acquire()), "acquire");
  ASSERT_EQ(held.each().size(), 3U);
  EXPECT_EQ(held.each()[0].lock(), "/m/a");
  EXPECT_EQ(held.each()[2].lock(), "/m/c");
  EXPECT_LT(held.each()[0].fencing_token(), held.each()[2].fencing_token());
  EXPECT_EQ(held.state(), LockState::kHeld);
  EXPECT_EQ(simulation_.run(held.release()), ReleaseOutcome::kReleased);
  EXPECT_EQ(simulation_.run(held.release()), ReleaseOutcome::kReleased);
  EXPECT_EQ(held.state(), LockState::kReleased);
  for (const char* const lock : {"/m/a", "/m/b", "/m/c"}) EXPECT_EQ(contenders(lock), 0U);
}

TEST_F(MultiLockTest, OppositeOrdersDoNotWaitForEachOther) {
  MultiLock of_a(*a_, paths({"/a", "/b"}));
  MultiLock of_b(*b_, paths({"/b", "/a"}));
  const auto by_a = simulation_.start(of_a.acquire());
  const auto by_b = simulation_.start(of_b.acquire());
  simulation_.settle();
  ASSERT_NE(by_a.done(), by_b.done());
  const auto& first = by_a.done() ? by_a : by_b;
  simulation_.run(first.result()->release());
  simulation_.run_until(by_a.done() ? by_b : by_a);
  EXPECT_TRUE(by_a.done() && by_b.done());
}

TEST_F(MultiLockTest, OneDeadlineForAllAndAllOrNothing) {
  FairMutex last(*b_, "/c");
  const HeldLock held = must(simulation_.run(last.acquire()), "acquire");
  MultiLock locks(*a_, paths({"/a", "/b", "/c"}));
  const auto acquired = simulation_.start(locks.acquire(simulation_.now() + 5s));
  simulation_.advance(5s);
  EXPECT_EQ(error_of(acquired.result()), Error::kTimedOut);
  EXPECT_EQ(contenders("/a"), 0U);
  EXPECT_EQ(contenders("/b"), 0U);
  EXPECT_EQ(contenders("/c"), 1U);
}

TEST_F(MultiLockTest, LossOfOneIsTheWorstOfAll) {
  MultiLock locks(*a_, paths({"/a", "/b"}));
  HeldLocks held = must(simulation_.run(locks.acquire()), "acquire");
  const std::stop_token lost = held.each()[1].lost_token();
  must(simulation_.run(remove(*b_, held.each()[1].znode())), "remove");
  simulation_.settle();
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_EQ(held.state(), LockState::kLost);
  EXPECT_EQ(held.each()[0].state(), LockState::kHeld);
  EXPECT_EQ(simulation_.run(held.release()), ReleaseOutcome::kAlreadyLost);
  EXPECT_EQ(contenders("/a"), 0U);
}

TEST_F(MultiLockTest, NoLocksAndMalformedPathsAreBadArguments) {
  MultiLock none(*a_, {});
  EXPECT_EQ(error_of(simulation_.run(none.acquire())), Error::kBadArguments);
  MultiLock malformed(*a_, paths({"/a", "relative"}));
  EXPECT_EQ(error_of(simulation_.run(malformed.acquire())), Error::kBadArguments);
  simulation_.settle();
  EXPECT_EQ(contenders("/a"), 0U);
}

}  // namespace
}  // namespace lockstep
