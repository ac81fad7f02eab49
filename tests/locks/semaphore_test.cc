#include "lockstep/semaphore.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/shared_count.h"
#include "lockstep/task_set.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

using Acquired = Started<Result<HeldLock>>;

class SemaphoreTest : public SimulatedSessionsTest {
 protected:
  Acquired wait(Semaphore& semaphore, Context context = {}) {
    return start_and_settle(semaphore.acquire(context));
  }
  void release(const Acquired& lease) {
    EXPECT_EQ(run_and_settle(lease.result()->release()), ReleaseOutcome::kReleased);
  }
  std::size_t leases() { return children(simulation_, "/s/leases").size(); }
  std::size_t queue() { return children(simulation_, "/s/locks").size(); }

  const std::shared_ptr<FakeSession> c_ = simulation_.open("C");
  Semaphore of_a_{*a_, "/s", 2};
  Semaphore of_b_{*b_, "/s", 2};
  Semaphore of_c_{*c_, "/s", 2};
};

TEST_F(SemaphoreTest, GrantsItsLeasesAndNoMore) {
  const Acquired first = wait(of_a_);
  const Acquired second = wait(of_b_);
  EXPECT_TRUE(second.done());
  EXPECT_EQ(queue(), 0U);
  const Acquired third = wait(of_c_);
  const Acquired fourth = wait(of_a_);
  EXPECT_FALSE(third.done());
  release(first);
  EXPECT_TRUE(third.done());
  EXPECT_FALSE(fourth.done());
  release(second);
  EXPECT_TRUE(fourth.done());
  EXPECT_EQ(leases(), 2U);
  EXPECT_EQ(queue(), 0U);
}

TEST_F(SemaphoreTest, ZnodesAreThoseOfCurator) {
  const Acquired first = wait(of_a_);
  const std::string name(first.result()->znode().view());
  EXPECT_TRUE(name.starts_with("/s/leases/_c_")) << name;
  EXPECT_TRUE(name.ends_with("-lease-0000000000")) << name;
  const Acquired second = wait(of_b_);
  const Acquired third = wait(of_c_);  // It already has its lease, and still holds the mutex.
  EXPECT_EQ(leases(), 3U);
  ASSERT_EQ(queue(), 1U);
  EXPECT_TRUE(children(simulation_, "/s/locks").front().ends_with("-lock-0000000002"));
}

// Everything in "leases" counts, as in Curator.
TEST_F(SemaphoreTest, ForeignLeaseCounts) {
  const Acquired first = wait(of_a_);
  must(simulation_.run(create(*b_, "/s/leases/_c_0-lease-7")), "create");
  RecordingObserver observer;
  Semaphore of_b(*b_, "/s", 2, &observer);
  const Acquired second = wait(of_b);
  EXPECT_FALSE(second.done());
  EXPECT_EQ(std::ranges::count(observer.calls(), "ignores _c_0-lease-7"), 1);
  must(run_and_settle(remove(*a_, "/s/leases/_c_0-lease-7")), "remove");
  EXPECT_TRUE(second.done());
}

TEST_F(SemaphoreTest, WaiterThatTimesOutLeavesNothingAndTheNextFollows) {
  const Acquired first = wait(of_a_);
  const Acquired second = wait(of_b_);
  const Acquired third = wait(of_c_, simulation_.now() + 5s);
  const Acquired fourth = wait(of_a_);
  simulation_.advance(5s);
  EXPECT_EQ(error_of(third.result()), Error::kTimedOut);
  EXPECT_EQ(leases(), 3U);  // The fourth is next, and has the mutex.
  EXPECT_EQ(queue(), 1U);
  release(first);
  EXPECT_TRUE(fourth.done());
  release(second);
  EXPECT_EQ(leases(), 1U);
  EXPECT_EQ(queue(), 0U);
}

TEST_F(SemaphoreTest, DestroyedWaiterLeavesNothing) {
  const Acquired first = wait(of_a_);
  const Acquired second = wait(of_b_);
  TaskSet tasks;
  tasks.spawn(ignore(of_c_.acquire()));
  simulation_.settle();
  EXPECT_EQ(leases(), 3U);
  tasks.clear();
  simulation_.settle();
  EXPECT_EQ(leases(), 2U);
  EXPECT_EQ(queue(), 0U);
}

TEST_F(SemaphoreTest, ExpiredHolderReturnsItsLease) {
  const Acquired first = wait(of_a_);
  const Acquired second = wait(of_b_);
  const Acquired third = wait(of_c_);
  const std::stop_token lost = first.result()->lost_token();
  simulation_.kill(*a_);
  simulation_.settle();
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_TRUE(third.done());
}

// Another client deletes a waiter's mutex. If that waiter stayed, two would wait for each other's
// leases.
TEST_F(SemaphoreTest, WaiterWhoseMutexIsDeletedGivesUp) {
  Semaphore one_of_a(*a_, "/s", 1);
  Semaphore one_of_b(*b_, "/s", 1);
  Semaphore one_of_c(*c_, "/s", 1);
  const Acquired first = wait(one_of_a);
  const Acquired second = wait(one_of_b);
  must(simulation_.run(remove(*c_, Path("/s/locks") / children(simulation_, "/s/locks").front())),
       "remove");
  const Acquired third = wait(one_of_c);
  EXPECT_EQ(error_of(second.result()), Error::kNoNode);
  release(first);
  EXPECT_TRUE(third.done());
}

TEST_F(SemaphoreTest, LessThanOneLeaseIsBadArgumentsAndLeavesNothing) {
  for (const std::int32_t leases : {0, -1}) {
    Semaphore semaphore(*a_, "/s", leases);
    EXPECT_EQ(error_of(simulation_.run(semaphore.acquire())), Error::kBadArguments) << leases;
  }
  EXPECT_FALSE(simulation_.exists("/s"));
}

TEST_F(SemaphoreTest, TryAcquireDoesNotWaitAndLeavesNothing) {
  Semaphore of_b(*b_, "/s", 2);
  const Acquired first = wait(of_a_);
  const Result<HeldLock> second = simulation_.run(of_b.try_acquire());
  EXPECT_TRUE(second.has_value());
  EXPECT_EQ(error_of(run_and_settle(of_b.try_acquire())), Error::kConflict);
  EXPECT_EQ(leases(), 2U);
  EXPECT_EQ(queue(), 0U);
  const Acquired third = wait(of_a_);
  EXPECT_FALSE(third.done());
  EXPECT_EQ(error_of(simulation_.run(of_b.try_acquire())), Error::kConflict);
  release(first);
  EXPECT_TRUE(third.done());
}

TEST_F(SemaphoreTest, ShowsItsLeasesAndItsWaiters) {
  Semaphore one_of_a(*a_, "/s", 1);
  Semaphore one_of_b(*b_, "/s", 1);
  Semaphore one_of_c(*c_, "/s", 1);
  const Acquired first = wait(one_of_a);
  const Acquired second = wait(one_of_b);
  const Acquired third = wait(one_of_c);
  const auto leases = must(simulation_.run(one_of_c.leases()), "leases");
  const auto waiters = must(simulation_.run(one_of_a.waiters()), "waiters");
  ASSERT_EQ(leases.size(), 2U);
  EXPECT_EQ(leases[0].stat.ephemeral_owner, a_->id());
  EXPECT_EQ(leases[1].stat.ephemeral_owner, b_->id());
  ASSERT_EQ(waiters.size(), 2U);
  EXPECT_EQ(waiters[0].stat.ephemeral_owner, b_->id());
  EXPECT_EQ(waiters[1].stat.ephemeral_owner, c_->id());
  simulation_.end_tasks();
}

// -------------------------------------------------------------------------- shared capacity

TEST_F(SemaphoreTest, RaisedCapacityLetsTheWaiterIn) {
  must(simulation_.run(set_shared_count(*c_, "/capacity", 1)), "set_shared_count");
  Semaphore of_a(*a_, "/s", "/capacity");
  Semaphore of_b(*b_, "/s", "/capacity");
  const Acquired first = wait(of_a);
  const Acquired second = wait(of_b);
  EXPECT_FALSE(second.done());
  must(run_and_settle(set_shared_count(*c_, "/capacity", 2)), "set_shared_count");
  EXPECT_TRUE(second.done());
}

TEST_F(SemaphoreTest, LoweredCapacityTakesNoLeaseAndGrantsNone) {
  must(simulation_.run(set_shared_count(*c_, "/capacity", 2)), "set_shared_count");
  Semaphore of_a(*a_, "/s", "/capacity");
  Semaphore of_b(*b_, "/s", "/capacity");
  const Acquired first = wait(of_a);
  const Acquired second = wait(of_b);
  must(simulation_.run(set_shared_count(*c_, "/capacity", 1)), "set_shared_count");
  const Acquired third = wait(of_a);
  release(first);
  EXPECT_FALSE(third.done());
  EXPECT_EQ(second.result()->state(), LockState::kHeld);
  release(second);
  EXPECT_TRUE(third.done());
}

TEST_F(SemaphoreTest, InvalidCapacityIsAnError) {
  Semaphore semaphore(*a_, "/s", "/capacity");
  EXPECT_EQ(error_of(simulation_.run(semaphore.acquire())), Error::kNoNode);
  must(simulation_.run(create(*a_, "/capacity", "17")), "create");
  EXPECT_EQ(error_of(run_and_settle(semaphore.acquire())), Error::kMarshallingError);
  EXPECT_EQ(leases(), 0U);
  EXPECT_EQ(queue(), 0U);
}

TEST_F(SemaphoreTest, SharedCountIsFourBytesTheHighestFirst) {
  EXPECT_EQ(encode_shared_count(0x01020304).view(), "\x01\x02\x03\x04");
  for (const std::int32_t count : {0, 1, -1, 2147483647, -2147483647 - 1}) {
    EXPECT_EQ(decode_shared_count(encode_shared_count(count)), count);
  }
  EXPECT_EQ(decode_shared_count(Data()), std::nullopt);
  EXPECT_EQ(decode_shared_count(Data("12345")), std::nullopt);
  must(simulation_.run(set_shared_count(*a_, "/a/b/count", 7)), "set_shared_count");
  EXPECT_EQ(must(simulation_.run(get_shared_count(*b_, "/a/b/count")), "get"), 7);
}

TEST_F(SemaphoreTest, SharedCountIsSetDespiteACut) {
  for (int i = 0; i < 24; ++i) {
    SCOPED_TRACE(i);
    const auto set = simulation_.start(set_shared_count(*a_, "/capacity", i));
    run_steps(simulation_, i % 8);
    simulation_.cut(*a_, static_cast<std::uint32_t>(i) / 8, 9);
    simulation_.run_until(set);
    EXPECT_TRUE(set.result().has_value());
    EXPECT_EQ(must(simulation_.run(get_shared_count(*a_, "/capacity")), "get"), i);
  }
}

// ------------------------------------------------------------------------------- several at once

TEST_F(SemaphoreTest, SeveralAreHeldTogetherAndReleasedTogether) {
  HeldLocks both = must(run_and_settle(of_a_.acquire(2)), "acquire");
  EXPECT_EQ(both.each().size(), 2U);
  EXPECT_EQ(leases(), 2U);
  EXPECT_EQ(queue(), 0U);
  const Acquired next = wait(of_b_);
  EXPECT_FALSE(next.done());
  EXPECT_EQ(run_and_settle(both.release()), ReleaseOutcome::kReleased);
  EXPECT_TRUE(next.done());
  EXPECT_EQ(leases(), 1U);
}

TEST_F(SemaphoreTest, SeveralWaitUntilAllOfThemFit) {
  const Acquired first = wait(of_a_);
  const Acquired second = wait(of_b_);
  const auto both = start_and_settle(of_c_.acquire(2));
  const Acquired behind = wait(of_a_);
  release(first);
  EXPECT_FALSE(both.done());
  EXPECT_FALSE(behind.done());  // One would fit, but another contender is first.
  release(second);
  EXPECT_TRUE(both.done());
  EXPECT_FALSE(behind.done());
  EXPECT_EQ(simulation_.run(both.result()->release()), ReleaseOutcome::kReleased);
  simulation_.run_until(behind);
}

TEST_F(SemaphoreTest, TwoThatWantAllDoNotWaitForEachOther) {
  const auto by_a = simulation_.start(of_a_.acquire(2));
  const auto by_b = start_and_settle(of_b_.acquire(2));
  ASSERT_NE(by_a.done(), by_b.done());
  const auto& first = by_a.done() ? by_a : by_b;
  simulation_.run(first.result()->release());
  simulation_.run_until(by_a.done() ? by_b : by_a);
  EXPECT_TRUE(by_a.done() && by_b.done());
}

TEST_F(SemaphoreTest, SeveralThatDoNotFitInTimeLeaveNothing) {
  const Acquired first = wait(of_a_);
  EXPECT_EQ(error_of(run_and_settle(of_b_.try_acquire(2))), Error::kConflict);
  EXPECT_EQ(leases(), 1U);
  const auto both = start_and_settle(of_b_.acquire(2, 5s));
  EXPECT_EQ(leases(), 3U);
  simulation_.advance(5s);
  EXPECT_EQ(error_of(both.result()), Error::kTimedOut);
  EXPECT_EQ(leases(), 1U);
  EXPECT_EQ(queue(), 0U);
}

TEST_F(SemaphoreTest, SeveralLeaveNothingIfOneIsDeletedWhileTheyWait) {
  const Acquired first = wait(of_a_);
  const auto both = start_and_settle(of_b_.acquire(2));
  std::vector<std::string> names = children(simulation_, "/s/leases");
  std::erase(names, first.result()->znode().name());
  ASSERT_EQ(names.size(), 2U);
  must(run_and_settle(remove(*c_, Path("/s/leases") / names.back())), "remove");
  EXPECT_EQ(error_of(both.result()), Error::kNoNode);
  EXPECT_EQ(leases(), 1U);
}

TEST_F(SemaphoreTest, ObserversReadTheDataOfEveryLease) {
  Semaphore named(*a_, "/s", 2, LockOptions("ann@host"));
  const HeldLocks both = must(simulation_.run(named.acquire(2)), "acquire");
  const std::vector<QueueEntry> seen = must(simulation_.run(of_b_.leases()), "leases");
  ASSERT_EQ(seen.size(), 2U);
  for (const QueueEntry& lease : seen) {
    EXPECT_EQ(lease.data.view(), "ann@host");
    EXPECT_EQ(lease.stat.ephemeral_owner, a_->id());
  }
  EXPECT_EQ(seen[0].znode, both.each()[0].znode());
}

TEST_F(SemaphoreTest, SeveralWaitUntilTheSharedCountAllowsThem) {
  must(simulation_.run(set_shared_count(*a_, "/capacity", 1)), "set_shared_count");
  Semaphore shared(*a_, "/s", "/capacity");
  const auto three = start_and_settle(shared.acquire(3));
  EXPECT_FALSE(three.done());
  must(simulation_.run(set_shared_count(*b_, "/capacity", 3)), "set_shared_count");
  simulation_.run_until(three);
  EXPECT_EQ(leases(), 3U);
}

TEST_F(SemaphoreTest, NoLeaseIsCreatedWhileTheSharedCountIsBelowTheirNumber) {
  must(simulation_.run(set_shared_count(*a_, "/capacity", 2)), "set_shared_count");
  Semaphore shared(*a_, "/s", "/capacity");
  const RequestCounter requests(simulation_);
  EXPECT_EQ(error_of(simulation_.run(shared.try_acquire(100))), Error::kConflict);
  EXPECT_LT(requests.total(), 20U);
  std::stop_source stop;
  const auto many = start_and_settle(shared.acquire(100, Context(stop.get_token())));
  EXPECT_FALSE(many.done());
  EXPECT_EQ(leases(), 0U);
  must(run_and_settle(set_shared_count(*b_, "/capacity", 99)), "set_shared_count");
  EXPECT_EQ(leases(), 0U);
  stop.request_stop();
  simulation_.settle();
  EXPECT_EQ(error_of(many.result()), Error::kCancelled);
  EXPECT_EQ(queue(), 0U);
}

TEST_F(SemaphoreTest, AContenderWhoseMutexIsDeletedDoesNotWaitForTheSharedCount) {
  must(simulation_.run(set_shared_count(*a_, "/capacity", 1)), "set_shared_count");
  Semaphore shared(*a_, "/s", "/capacity");
  const auto three = start_and_settle(shared.acquire(3));
  const std::vector<QueueEntry> turn = must(simulation_.run(shared.waiters()), "waiters");
  must(run_and_settle(remove(*b_, turn.front().znode)), "remove");
  ASSERT_TRUE(three.done());
  EXPECT_EQ(error_of(three.result()), Error::kNoNode);
}

TEST_F(SemaphoreTest, ZeroOrMoreThanTheCapacityIsABadArgument) {
  for (const std::int32_t count : {0, -1, 3}) {
    EXPECT_EQ(error_of(simulation_.run(of_a_.acquire(count))), Error::kBadArguments) << count;
    EXPECT_EQ(error_of(simulation_.run(of_a_.try_acquire(count))), Error::kBadArguments) << count;
  }
  EXPECT_FALSE(simulation_.exists("/s"));
}

TEST_F(SemaphoreTest, LossOfOneLeavesTheOtherAndIsTheWorst) {
  HeldLocks both = must(simulation_.run(of_a_.acquire(2)), "acquire");
  const std::stop_token lost = both.each()[0].lost_token();
  must(run_and_settle(remove(*b_, both.each()[0].znode())), "remove");
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_EQ(both.state(), LockState::kLost);
  EXPECT_EQ(both.each()[1].state(), LockState::kHeld);
  EXPECT_EQ(simulation_.run(both.release()), ReleaseOutcome::kAlreadyLost);
  EXPECT_EQ(leases(), 0U);
}

}  // namespace
}  // namespace lockstep
