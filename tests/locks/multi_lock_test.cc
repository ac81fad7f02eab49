#include "lockstep/multi_lock.h"

#include <gtest/gtest.h>

#include <vector>

#include "lockstep/fair_mutex.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

class MultiLockTest : public SimulatedSessionsTest {
 protected:
  static std::vector<Path> paths(std::initializer_list<const char*> names) {
    return {names.begin(), names.end()};
  }
  std::size_t contenders(const Path& lock) { return children(simulation_, lock).size(); }
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
  const auto by_b = start_and_settle(of_b.acquire());
  ASSERT_NE(by_a.done(), by_b.done());
  const auto& first = by_a.done() ? by_a : by_b;
  simulation_.run(first.result()->release());
  simulation_.run_until(by_a.done() ? by_b : by_a);
  EXPECT_TRUE(by_a.done() && by_b.done());
}

TEST_F(MultiLockTest, AcquiresAllOrNothingWithinOneDeadline) {
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

TEST_F(MultiLockTest, LossOfOneIsTheStateOfAll) {
  MultiLock locks(*a_, paths({"/a", "/b"}));
  HeldLocks held = must(simulation_.run(locks.acquire()), "acquire");
  const std::stop_token lost = held.each()[1].lost_token();
  must(run_and_settle(remove(*b_, held.each()[1].znode())), "remove");
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_EQ(held.state(), LockState::kLost);
  EXPECT_EQ(held.each()[0].state(), LockState::kHeld);
  EXPECT_EQ(simulation_.run(held.release()), ReleaseOutcome::kAlreadyLost);
  EXPECT_EQ(contenders("/a"), 0U);
}

// All of them cannot be had any more: a success would hide the loss.
TEST_F(MultiLockTest, LossOfOneEndsTheWaitForTheOthers) {
  FairMutex last(*b_, "/b");
  const HeldLock held = must(simulation_.run(last.acquire()), "acquire");
  MultiLock locks(*a_, paths({"/a", "/b"}));
  const auto acquired = start_and_settle(locks.acquire());
  EXPECT_EQ(contenders("/b"), 2U);
  lose_contact(simulation_, *a_);
  ASSERT_TRUE(acquired.done());
  EXPECT_EQ(error_of(acquired.result()), Error::kContactLost);
  EXPECT_EQ(contenders("/a"), 0U);
  EXPECT_EQ(contenders("/b"), 1U);
}

TEST_F(MultiLockTest, NoLocksAndMalformedPathsAreBadArguments) {
  MultiLock none(*a_, std::vector<Path>());
  EXPECT_EQ(error_of(simulation_.run(none.acquire())), Error::kBadArguments);
  MultiLock malformed(*a_, paths({"/a", "relative"}));
  EXPECT_EQ(error_of(run_and_settle(malformed.acquire())), Error::kBadArguments);
  EXPECT_EQ(contenders("/a"), 0U);
}

// ----------------------------------------------------------------------------- locks of any recipe

LockSet one_of_each() {
  return LockSet()
      .leases("/semaphore", 3, 2)
      .write("/written")
      .read("/read")
      .unfair_mutex("/only/one")
      .mutex("/mutex");
}

TEST_F(MultiLockTest, LocksOfAnyRecipeAreHeldInTheOrderOfTheirPaths) {
  MultiLock locks(*a_, one_of_each());
  HeldLocks held = must(simulation_.run(locks.acquire()), "acquire");
  std::vector<std::string_view> paths;
  for (const HeldLock& each : held.each()) paths.push_back(each.lock().view());
  const std::vector<std::string_view> expected = {
      "/mutex", "/only", "/read", "/semaphore/leases", "/semaphore/leases", "/written"};
  EXPECT_EQ(paths, expected);
  EXPECT_EQ(held.each()[2].share(), Share::kShared);
  EXPECT_EQ(held.each()[5].share(), Share::kExclusive);
  EXPECT_EQ(contenders("/semaphore/leases"), 2U);
  EXPECT_EQ(simulation_.run(held.release()), ReleaseOutcome::kReleased);
  for (const char* const lock : {"/mutex", "/only", "/read", "/semaphore/leases", "/written"}) {
    EXPECT_EQ(contenders(lock), 0U) << lock;
  }
}

TEST_F(MultiLockTest, LocksOfAnyRecipeWaitLikeTheirRecipes) {
  const LockSet mine = LockSet().read("/r").leases("/s", 2).mutex("/m");
  const LockSet theirs = LockSet().leases("/s", 2).read("/r");
  MultiLock of_a(*a_, mine);
  MultiLock of_b(*b_, theirs);
  HeldLocks held = must(simulation_.run(of_a.acquire()), "acquire");
  const HeldLocks beside = must(simulation_.run(of_b.acquire()), "readers and leases go together");
  MultiLock writer(*b_, LockSet().write("/r"));
  const auto waiting = simulation_.start(writer.acquire(simulation_.now() + 5s));
  simulation_.advance(5s);
  EXPECT_EQ(error_of(waiting.result()), Error::kTimedOut);
  EXPECT_EQ(held.state(), LockState::kHeld);
}

TEST_F(MultiLockTest, LocksOfAnyRecipeLeaveNothingAfterATimeout) {
  MultiLock of_b(*b_, one_of_each());
  std::vector<HeldLock> taken = must(simulation_.run(of_b.acquire()), "acquire").each();
  const auto everything = [&] {
    return contenders("/mutex") + contenders("/only") + contenders("/read") +
           contenders("/semaphore/locks") + contenders("/semaphore/leases") +
           contenders("/written");
  };
  // The first of them that is still taken keeps the other contender waiting.
  while (!taken.empty()) {
    EXPECT_EQ(everything(), taken.size());
    MultiLock locks(*a_, one_of_each());
    const auto acquired = simulation_.start(locks.acquire(simulation_.now() + 1s));
    simulation_.advance(1s);
    EXPECT_EQ(error_of(acquired.result()), Error::kTimedOut) << taken.size();
    EXPECT_EQ(everything(), taken.size());
    EXPECT_EQ(simulation_.run(taken.front().release()), ReleaseOutcome::kReleased);
    taken.erase(taken.begin());
  }
}

TEST_F(MultiLockTest, EachHasItsOptions) {
  const LockSet wanted = LockSet().read("/r", LockOptions(Data("reader"))).mutex("/m");
  const HeldLocks held = must(simulation_.run(MultiLock(*a_, wanted).acquire()), "acquire");
  EXPECT_EQ(znode(simulation_, held.each()[0].znode())->data.view(), "");
  EXPECT_EQ(znode(simulation_, held.each()[1].znode())->data.view(), "reader");
}

Task<Result<HeldLocks>> take_odd(Session& session, Path lock, LockObserver* observer,
                                 Context context) {
  FairMutex mutex(session, lock / "odd", observer);
  HeldLock held = co_await ok(mutex.acquire(context));
  std::vector<HeldLock> one;
  one.push_back(std::move(held));
  co_return HeldLocks(std::move(one));
}

TEST_F(MultiLockTest, AcceptsUsersRecipes) {
  RecordingObserver observer;
  MultiLock locks(*a_, LockSet().other("/b", &take_odd).mutex("/a"), &observer);
  const HeldLocks held = must(simulation_.run(locks.acquire()), "acquire");
  EXPECT_EQ(held.each()[1].lock(), "/b/odd");
  EXPECT_EQ(observer.calls().size(), 4U);  // A place and a grant each.
}

TEST_F(MultiLockTest, OnePathInTwoWaysIsABadArgumentAndTwiceInOneWayCountsOnce) {
  MultiLock both_sides(*a_, LockSet().read("/a").write("/a"));
  EXPECT_EQ(error_of(simulation_.run(both_sides.acquire())), Error::kBadArguments);
  MultiLock more_leases(*a_, LockSet().leases("/a", 3, 1).leases("/a", 3, 2));
  EXPECT_EQ(error_of(simulation_.run(more_leases.acquire())), Error::kBadArguments);
  MultiLock others(*a_, LockSet().other("/a", &take_odd).other("/a", &take_odd));
  EXPECT_EQ(error_of(simulation_.run(others.acquire())), Error::kBadArguments);
  EXPECT_FALSE(simulation_.exists("/a"));
  MultiLock twice(*a_, LockSet().read("/a").mutex("/b").read("/a"));
  EXPECT_EQ(must(simulation_.run(twice.acquire()), "acquire").each().size(), 2U);
  MultiLock none(*a_, LockSet());
  EXPECT_EQ(error_of(simulation_.run(none.acquire())), Error::kBadArguments);
}

}  // namespace
}  // namespace lockstep
