#include "lockstep/unfair_mutex.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "lockstep/task_set.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

class UnfairMutexTest : public SimulatedSessionsTest {
 protected:
  HeldLock hold(UnfairMutex& mutex) { return must(simulation_.run(mutex.acquire()), "acquire"); }

  // The reply to A's release is lost, and `next` holds when A tries again.
  void release_before_a_grant_of(UnfairMutex& next) {
    HeldLock held = hold(of_a_);
    const auto released = simulation_.start(held.release());
    disconnect(simulation_, *a_, 1);
    const HeldLock of_next = hold(next);
    reconnect(simulation_, *a_);
    ASSERT_TRUE(released.done());
    EXPECT_EQ(released.result(), ReleaseOutcome::kReleased);
    EXPECT_TRUE(simulation_.exists(of_next.znode()));
    EXPECT_EQ(of_next.state(), LockState::kHeld);
  }

  // A, reconnected, has been refused to read the znode of B, which lets go of it. Before A looks
  // on, another user of A's session holds.
  HeldLock hold_beside(HeldLock of_b) {
    simulation_.let_go(*a_);
    simulation_.hold(*a_, OpCode::kGetData);
    simulation_.settle();
    simulation_.let_go(*a_);
    run_steps(simulation_, 1);  // Refuses the read.
    simulation_.hold_inbox(*a_);
    EXPECT_EQ(simulation_.run(of_b.release()), ReleaseOutcome::kReleased);
    const auto beside = start_and_settle(of_a_.acquire());
    let_go_and_settle(*a_);
    return must(std::move(beside.result()), "acquire");
  }

  UnfairMutex of_a_{*a_, "/locks/one"};
  UnfairMutex of_b_{*b_, "/locks/one"};
  UnfairMutex hidden_of_b_{*b_, "/locks/one", hidden()};

 private:
  // Other clients may not read the znode.
  static LockOptions hidden() {
    LockOptions options;
    options.acl = Acl({AclEntry(permission::kAll & ~permission::kRead, "world", "anyone")});
    return options;
  }
};

TEST_F(UnfairMutexTest, TryingCostsOneRequestAndLeavesNothing) {
  HeldLock held = hold(of_a_);
  const RequestCounter requests(simulation_);
  EXPECT_EQ(error_of(run_and_settle(of_b_.try_acquire())), Error::kConflict);
  EXPECT_EQ(requests.total(), 1U);
  EXPECT_EQ(simulation_.run(held.release()), ReleaseOutcome::kReleased);
  EXPECT_TRUE(simulation_.run(of_b_.try_acquire()).has_value());
}

TEST_F(UnfairMutexTest, HolderIsShownWithItsData) {
  EXPECT_EQ(must(simulation_.run(of_b_.holder()), "holder"), std::nullopt);
  UnfairMutex mutex(*a_, "/locks/one", "ann@host, 4711\nnightly");
  HeldLock held = hold(mutex);
  const RequestCounter requests(simulation_);
  const auto holder = must(simulation_.run(of_b_.holder()), "holder");
  EXPECT_EQ(requests.total(), 1U);
  ASSERT_TRUE(holder.has_value());
  EXPECT_TRUE(holder->holds);
  EXPECT_EQ(holder->znode, Path("/locks/one"));
  EXPECT_EQ(holder->data, Data("ann@host, 4711\nnightly"));
  EXPECT_EQ(holder->stat.czxid, held.fencing_token());
  EXPECT_EQ(holder->stat.ephemeral_owner, a_->id());
  simulation_.run(held.release());
  EXPECT_EQ(must(simulation_.run(of_b_.holder()), "holder"), std::nullopt);
}

TEST_F(UnfairMutexTest, HolderWithoutDataIsShown) {
  HeldLock held = hold(of_a_);
  const auto holder = must(simulation_.run(of_b_.holder()), "holder");
  ASSERT_TRUE(holder.has_value());
  EXPECT_TRUE(holder->data.is_null());
  simulation_.run(held.release());
  UnfairMutex mutex(*a_, "/locks/one", "");
  const HeldLock again = hold(mutex);
  const auto empty = must(simulation_.run(of_b_.holder()), "holder");
  ASSERT_TRUE(empty.has_value());
  EXPECT_EQ(empty->data, Data(""));
}

// Another library's lock, or one made by hand.
TEST_F(UnfairMutexTest, ForeignHolderIsShownWithAllItsData) {
  const std::string guid = "01234567-89ab-4cde-8f01-23456789abcd";
  must(simulation_.run(create(*a_, "/locks")), "create");
  for (const std::string& data : {std::string("replica_2"), std::string(), guid + "x",
                                  guid.substr(1), "x" + guid.substr(1), std::string(60, 'a')}) {
    const Data bytes{std::string_view(data)};
    must(simulation_.run(create(*a_, "/locks/one", bytes, CreateMode::kEphemeral)), "create");
    const auto holder = must(simulation_.run(of_b_.holder()), "holder");
    ASSERT_TRUE(holder.has_value());
    EXPECT_EQ(holder->data, Data(std::string_view(data)));
    must(simulation_.run(remove(*a_, "/locks/one")), "remove");
  }
}

// Nobody would ever release it.
TEST_F(UnfairMutexTest, AZnodeWithoutASessionIsNoLock) {
  for (const CreateMode mode : {CreateMode::kPersistent, CreateMode::kContainer}) {
    must(simulation_.run(create(*a_, "/znode", Data(), mode)), "create");
    UnfairMutex mutex(*b_, "/znode");
    EXPECT_EQ(error_of(simulation_.run(mutex.acquire())), Error::kNodeExists);
    EXPECT_EQ(must(simulation_.run(mutex.holder()), "holder"), std::nullopt);
    EXPECT_EQ(error_of(simulation_.run(mutex.try_acquire())), Error::kConflict);
    EXPECT_TRUE(simulation_.exists("/znode"));
    must(simulation_.run(remove(*a_, "/znode")), "remove");
  }
}

TEST_F(UnfairMutexTest, AContenderThatWaitsSendsTwoRequests) {
  HeldLock held = hold(of_a_);
  const RequestCounter requests(simulation_);
  const auto by_b = start_and_settle(of_b_.acquire());
  EXPECT_EQ(requests.total(), 2U);
  simulation_.run(held.release());
  simulation_.run_until(by_b);
}

TEST_F(UnfairMutexTest, LookForTheHolderSurvivesAConnectionLossAndEndsWithTheSession) {
  const HeldLock held = hold(of_a_);
  const auto looking = simulation_.start(of_b_.holder());
  simulation_.cut(*b_);
  simulation_.run_until(looking);
  EXPECT_TRUE(must(looking.result(), "holder").has_value());
  must(simulation_.run(close(*b_)), "close");
  EXPECT_EQ(error_of(simulation_.run(of_b_.holder())), Error::kClosing);
}

TEST_F(UnfairMutexTest, WaiterFollows) {
  HeldLock held = hold(of_a_);
  const auto by_b = start_and_settle(of_b_.acquire());
  EXPECT_FALSE(by_b.done());
  simulation_.run(held.release());
  simulation_.run_until(by_b);
  EXPECT_GT(by_b.result()->fencing_token(), held.fencing_token());
}

TEST_F(UnfairMutexTest, HolderGoneBetweenTheTryAndTheWatchIsNoReasonToWait) {
  HeldLock held = hold(of_a_);
  simulation_.hold(*b_, OpCode::kGetData);
  const auto by_b = start_and_settle(of_b_.acquire());
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
// the second attempt must not delete that session's znode.
TEST_F(UnfairMutexTest, ReleaseIsNotRepeatedOnAnothersZnode) { release_before_a_grant_of(of_b_); }

// Both find the znode. It is deleted once, and the next holder's stays.
TEST_F(UnfairMutexTest, TwoReleasesAtOnceDeleteOneZnode) {
  HeldLock held = hold(of_a_);
  const auto first = simulation_.start(held.release());
  disconnect(simulation_, *a_);
  const auto second = simulation_.start(held.release());
  simulation_.hold(*b_, OpCode::kCreate);
  const auto by_b = start_and_settle(of_b_.acquire());
  simulation_.let_go(*a_);
  simulation_.hold(*a_, OpCode::kRemove);
  simulation_.settle();
  simulation_.let_go(*a_);
  run_steps(simulation_, 1);  // Applies a delete.
  simulation_.hold(*a_, OpCode::kRemove);
  simulation_.let_go(*b_);
  simulation_.run_until(by_b);
  simulation_.let_go(*a_);
  simulation_.settle();
  EXPECT_EQ(first.result(), ReleaseOutcome::kReleased);
  EXPECT_EQ(second.result(), ReleaseOutcome::kReleased);
  EXPECT_EQ(by_b.result()->state(), LockState::kHeld);
  EXPECT_TRUE(simulation_.exists(by_b.result()->znode()));
}

TEST_F(UnfairMutexTest, ALostCreateIsRepeatedAlthoughTheHolderHidesItsZnode) {
  must(simulation_.run(create(*a_, "/locks")), "create");
  const auto by_a = simulation_.start(of_a_.acquire());
  disconnect(simulation_, *a_);
  HeldLock held = hold(hidden_of_b_);
  reconnect(simulation_, *a_);
  EXPECT_FALSE(by_a.done());
  EXPECT_EQ(simulation_.run(held.release()), ReleaseOutcome::kReleased);
  simulation_.run_until(by_a);
  EXPECT_TRUE(by_a.result().has_value());
}

TEST_F(UnfairMutexTest, ALostReleaseIsKnownAlthoughTheNextHolderHidesItsZnode) {
  release_before_a_grant_of(hidden_of_b_);
}

TEST_F(UnfairMutexTest, ALostCreateWaitsForAnotherUserOfItsSession) {
  must(simulation_.run(create(*a_, "/locks")), "create");
  const auto acquired = simulation_.start(of_a_.acquire());
  disconnect(simulation_, *a_);
  HeldLock beside = hold_beside(hold(hidden_of_b_));
  EXPECT_FALSE(acquired.done());
  EXPECT_EQ(simulation_.run(beside.release()), ReleaseOutcome::kReleased);
  simulation_.run_until(acquired);
  EXPECT_TRUE(acquired.result().has_value());
}

TEST_F(UnfairMutexTest, ALostReleaseIsKnownAlthoughAnotherUserOfItsSessionHolds) {
  HeldLock held = hold(of_a_);
  const auto released = simulation_.start(held.release());
  disconnect(simulation_, *a_, 1);
  const HeldLock beside = hold_beside(hold(hidden_of_b_));
  ASSERT_TRUE(released.done());
  EXPECT_EQ(released.result(), ReleaseOutcome::kReleased);
  EXPECT_TRUE(simulation_.exists(beside.znode()));
}

// An operator deletes the holder's znode, and the next holder's is there before the client looks.
TEST_F(UnfairMutexTest, ALossIsNoticedAlthoughTheNextHolderHidesItsZnode) {
  const HeldLock held = hold(of_a_);
  const std::stop_token lost = held.lost_token();
  simulation_.settle();
  simulation_.hold_inbox(*a_);
  must(simulation_.run(remove(*b_, held.znode())), "remove");
  const HeldLock next = hold(hidden_of_b_);
  let_go_and_settle(*a_);
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_EQ(held.cause(), Error::kNoNode);
}

TEST_F(UnfairMutexTest, AReleaseGoesOnWhenTheOneBeforeItIsDestroyed) {
  HeldLock held = hold(of_a_);
  simulation_.hold(*a_, OpCode::kRemove);
  TaskSet tasks;
  tasks.spawn(ignore(held.release()));
  const auto second = start_and_settle(held.release());
  const auto impatient = simulation_.start(held.release(simulation_.now() + 1s));
  simulation_.run_until(impatient);
  EXPECT_EQ(impatient.result(), ReleaseOutcome::kUnknown);
  EXPECT_FALSE(second.done());
  tasks.clear();
  simulation_.let_go(*a_);
  simulation_.run_until(second);
  EXPECT_EQ(second.result(), ReleaseOutcome::kReleased);
  EXPECT_FALSE(simulation_.exists(held.znode()));
}

TEST_F(UnfairMutexTest, DestroyedAttemptLeavesNothingAndTouchesNoOtherClient) {
  must(simulation_.run(create(*a_, "/locks")), "create");
  for (const bool somebody_holds : {false, true}) {
    std::optional<HeldLock> other;
    if (somebody_holds) other.emplace(hold(of_b_));
    TaskSet tasks;
    tasks.spawn(ignore(of_a_.acquire()));  // The create is in flight.
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
