#include "lockstep/fair_mutex.h"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/task_set.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

// The race this library exists for, scripted by hand: A deletes its znode after B has seen it in
// the list and before B's watch on it is registered.
TEST(FairMutexTest, WaiterNoticesAPredecessorDeletedBeforeItsWatch) {
  Simulation simulation;
  const auto a = simulation.open("A");
  const auto b = simulation.open("B");
  FairMutex of_a(*a, "/lock");
  FairMutex of_b(*b, "/lock");

  Result<HeldLock> held_by_a = simulation.run(of_a.acquire());
  simulation.hold(*b, OpCode::kGetData);  // B lists the queue; its watching read is held back,
  const Started<Result<HeldLock>> acquired_by_b = simulation.start(of_b.acquire());
  simulation.settle();
  EXPECT_EQ(simulation.run(held_by_a->release()), ReleaseOutcome::kReleased);  // A deletes,
  simulation.let_go(*b);  // and now the read arrives.
  simulation.run_until(acquired_by_b);
  EXPECT_EQ(acquired_by_b.result()->state(), LockState::kHeld);
}

TEST(FairMutexTest, ExpiryOfTheHolderHandsTheLockOverAndTellsTheHolder) {
  Simulation simulation;
  const auto a = simulation.open("A");
  const auto b = simulation.open("B");
  FairMutex of_a(*a, "/lock");
  FairMutex of_b(*b, "/lock");

  const Result<HeldLock> held_by_a = simulation.run(of_a.acquire());
  const std::stop_token lost = held_by_a->lost_token();
  const Started<Result<HeldLock>> acquired_by_b = simulation.start(of_b.acquire());
  simulation.settle();
  EXPECT_FALSE(acquired_by_b.done());

  const TimePoint before = simulation.now();
  simulation.expire(*a);
  EXPECT_GT(simulation.now() - before, a->timeout());  // Virtual time: no thread slept.
  simulation.run_until(acquired_by_b);
  simulation.settle();
  EXPECT_EQ(held_by_a->state(), LockState::kLost);
  // Lost by A's own clock, before B could hold.
  EXPECT_EQ(held_by_a->cause(), Error::kContactLost);
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_GT(acquired_by_b.result()->fencing_token(), held_by_a->fencing_token());
}

// One client: a session, a mutex, and its notices.
class MutexClient {
 public:
  MutexClient(Simulation& simulation, std::string_view name)
      : simulation_(simulation), session(simulation.open(name)) {}

  Task<Result<HeldLock>> acquire(Context context = Context()) { return mutex.acquire(context); }
  // Starts an acquire, and lets it proceed without letting time pass.
  Started<Result<HeldLock>> queue_up(Context context = Context()) {
    const auto started = simulation_.start(acquire(std::move(context)));
    simulation_.settle();
    return started;
  }

 private:
  Simulation& simulation_;

 public:
  std::shared_ptr<FakeSession> session;
  RecordingObserver observer;
  FairMutex mutex{*session, "/lock", &observer};
};

class FairMutexQueueTest : public SimulatedTest {
 protected:
  MutexClient a_{simulation_, "A"};
  MutexClient b_{simulation_, "B"};
  MutexClient c_{simulation_, "C"};
};

TEST_F(FairMutexQueueTest, FirstComerTakesTheLockWithTwoRequests) {
  must(simulation_.run(create(*b_.session, "/lock")), "create /lock");
  const RequestCounter requests(simulation_);
  const auto held = simulation_.run(a_.acquire());
  EXPECT_TRUE(held.has_value());
  EXPECT_EQ(requests.of(*a_.session, OpCode::kCreate), 1U);
  EXPECT_EQ(requests.of(*a_.session, OpCode::kGetChildren), 1U);
  EXPECT_EQ(requests.total(), 2U);
}

TEST(FairMutexTest, GrantsInTheOrderOfArrival) {
  Simulation simulation;
  std::deque<MutexClient> clients;
  std::vector<Started<Result<HeldLock>>> acquired;
  for (const char* const name : {"A", "B", "C", "D", "E"}) {
    acquired.push_back(clients.emplace_back(simulation, name).queue_up());
  }
  Zxid last_token = 0;
  for (std::size_t first = 0; first < clients.size(); ++first) {
    for (std::size_t i = 0; i < clients.size(); ++i) {
      EXPECT_EQ(acquired[i].done(), i <= first) << i << " after " << first << " releases";
    }
    HeldLock& held = *acquired[first].result();
    EXPECT_GT(held.fencing_token(), last_token);
    last_token = held.fencing_token();
    EXPECT_EQ(simulation.run(held.release()), ReleaseOutcome::kReleased);
    simulation.settle();
  }
  EXPECT_TRUE(children(simulation, "/lock").empty());
}

TEST_F(FairMutexQueueTest, WakesOnlyTheNextWaiter) {
  auto held = simulation_.run(a_.acquire());
  const auto by_b = b_.queue_up();
  const auto by_c = c_.queue_up();
  const RequestCounter requests(simulation_);
  run_and_settle(held->release());
  EXPECT_TRUE(by_b.done());
  EXPECT_FALSE(by_c.done());
  EXPECT_EQ(requests.of(*a_.session), 1U);  // The delete,
  EXPECT_EQ(requests.of(*b_.session), 0U);  // whose event is enough for the only next contender,
  EXPECT_EQ(requests.of(*c_.session), 0U);  // and no herd.
  simulation_.run(by_b.result()->release());
  simulation_.run_until(by_c);
}

TEST_F(FairMutexQueueTest, WaiterThatTimesOutLeavesAndTheNextGetsTheLock) {
  auto held = simulation_.run(a_.acquire());
  const TimePoint deadline = simulation_.now() + 5s;
  const auto by_b = b_.queue_up(deadline);
  const auto by_c = c_.queue_up();
  simulation_.advance(5s - 1ns);
  EXPECT_FALSE(by_b.done());
  simulation_.advance(1ns);
  ASSERT_TRUE(by_b.done());
  EXPECT_EQ(error_of(by_b.result()), Error::kTimedOut);
  EXPECT_EQ(children(simulation_, "/lock").size(), 2U);
  EXPECT_FALSE(by_c.done());  // Its predecessor is gone, but the holder is not:
  EXPECT_EQ(c_.observer.calls(), (Calls{"place reserved", "waits behind 2", "waits behind 1"}));
  run_and_settle(held->release());
  ASSERT_TRUE(by_c.done());
  EXPECT_EQ(by_c.result()->state(), LockState::kHeld);
}

TEST_F(FairMutexQueueTest, CancelledWaiterLeavesTheQueue) {
  const auto held = simulation_.run(a_.acquire());
  std::stop_source stop;
  const auto by_b = b_.queue_up(stop.get_token());
  stop.request_stop();
  simulation_.settle();
  ASSERT_TRUE(by_b.done());
  EXPECT_EQ(error_of(by_b.result()), Error::kCancelled);
  EXPECT_EQ(children(simulation_, "/lock"),
            std::vector<std::string>{std::string(held->znode().name())});
  EXPECT_TRUE(b_.session->background().empty());
  EXPECT_EQ(b_.observer.calls(), (Calls{"place reserved", "waits behind 1", "gave up: cancelled"}));
}

TEST_F(FairMutexQueueTest, DestroyedWaiterLeavesTheQueue) {
  const auto held = simulation_.run(a_.acquire());
  TaskSet tasks;
  tasks.spawn(ignore(b_.acquire()));
  simulation_.settle();
  EXPECT_EQ(children(simulation_, "/lock").size(), 2U);
  tasks.clear();
  simulation_.settle();
  EXPECT_EQ(children(simulation_, "/lock").size(), 1U);
}

TEST_F(FairMutexQueueTest, LossOfTheHoldersConnectionHandsNothingOver) {
  auto held = simulation_.run(a_.acquire());
  const auto by_b = b_.queue_up();
  disconnect(simulation_, *a_.session);
  simulation_.advance(3s);
  EXPECT_FALSE(by_b.done());
  EXPECT_EQ(held->state(), LockState::kSuspect);
  reconnect(simulation_, *a_.session);
  EXPECT_EQ(held->state(), LockState::kHeld);
  EXPECT_FALSE(by_b.done());
  simulation_.run(held->release());
  simulation_.run_until(by_b);
}

TEST_F(FairMutexQueueTest, WaiterLearnsAfterwardsOfAReleaseDuringItsAbsence) {
  auto held = simulation_.run(a_.acquire());
  const auto by_b = b_.queue_up();
  disconnect(simulation_, *b_.session);
  simulation_.run(held->release());
  simulation_.advance(1s);
  EXPECT_FALSE(by_b.done());
  reconnect(simulation_, *b_.session);
  ASSERT_TRUE(by_b.done());
  EXPECT_EQ(by_b.result()->state(), LockState::kHeld);
}

// The waiter's connection breaks at any two moments, and the release comes at any third.
TEST_F(FairMutexQueueTest, WaiterGetsTheLockDespiteCutsAroundTheRelease) {
  constexpr int kSteps = 8;
  for (int i = 0; i < kSteps * kSteps * kSteps; ++i) {
    SCOPED_TRACE(i);
    auto held = simulation_.run(a_.acquire());
    const auto by_b = simulation_.start(b_.acquire());
    run_steps(simulation_, i % kSteps);
    simulation_.cut(*b_.session, 0, 9);
    run_steps(simulation_, i / kSteps % kSteps);
    const auto released = simulation_.start(held->release());
    run_steps(simulation_, i / kSteps / kSteps);
    simulation_.cut(*b_.session);
    simulation_.run_until(by_b);
    ASSERT_TRUE(by_b.result().has_value());
    EXPECT_EQ(released.result(), ReleaseOutcome::kReleased);
    run_and_settle(by_b.result()->release());
    EXPECT_TRUE(children(simulation_, "/lock").empty());
  }
}

TEST_F(FairMutexQueueTest, DeletedPlaceIsNoNode) {
  auto held = simulation_.run(a_.acquire());
  const auto by_b = b_.queue_up();
  const std::string place = children(simulation_, "/lock").back();
  must(simulation_.run(remove(*c_.session, Path("/lock") / place)), "remove");
  run_and_settle(held->release());
  ASSERT_TRUE(by_b.done());
  EXPECT_EQ(error_of(by_b.result()), Error::kNoNode);
  EXPECT_TRUE(b_.session->background().empty());
}

TEST_F(FairMutexQueueTest, EndOfTheSessionEndsTheWait) {
  const auto held = simulation_.run(a_.acquire());
  const auto by_b = b_.queue_up();
  const auto by_c = c_.queue_up();
  must(simulation_.run(close(*b_.session)), "close");
  simulation_.kill(*c_.session);
  simulation_.settle();
  EXPECT_EQ(error_of(by_b.result()), Error::kClosing);
  EXPECT_EQ(error_of(by_c.result()), Error::kSessionExpired);
  EXPECT_EQ(children(simulation_, "/lock").size(), 1U);
  EXPECT_EQ(b_.observer.calls().back(), "gave up: closing");
}

TEST_F(FairMutexQueueTest, AcquiresOfOneSessionQueueUp) {
  auto first = simulation_.run(a_.acquire());
  const auto second = a_.queue_up();
  EXPECT_FALSE(second.done());
  EXPECT_EQ(children(simulation_, "/lock").size(), 2U);
  run_and_settle(first->release());
  ASSERT_TRUE(second.done());
  EXPECT_GT(second.result()->fencing_token(), first->fencing_token());
}

TEST_F(FairMutexQueueTest, TheObserverHearsOfARefusedAcquire) {
  FairMutex malformed(*a_.session, "lock", &a_.observer);
  EXPECT_FALSE(simulation_.run(malformed.acquire()).has_value());
  EXPECT_FALSE(simulation_.run(a_.acquire(simulation_.now())).has_value());
  EXPECT_EQ(a_.observer.calls(), (Calls{"gave up: bad arguments", "gave up: timed out"}));
}

TEST_F(FairMutexQueueTest, DeadlineThatPassesAfterTheGrantDoesNotMatter) {
  const auto held = simulation_.run(a_.acquire(simulation_.now() + 1s));
  simulation_.advance(10s);
  EXPECT_EQ(held->state(), LockState::kHeld);
  EXPECT_TRUE(simulation_.exists(held->znode()));
}

TEST_F(FairMutexQueueTest, OtherChildrenOfTheLockAreNotInTheQueue) {
  must(simulation_.run(create(*b_.session, "/lock")), "create");
  for (const char* const name : {"/lock/config", "/lock/_c_0-lock-", "/lock/read-0000000000"}) {
    must(simulation_.run(create(*b_.session, name)), "create");
  }
  const auto held = a_.queue_up();
  ASSERT_TRUE(held.done());
  EXPECT_EQ(a_.observer.calls().front(), "place reserved");
  EXPECT_EQ(a_.observer.calls().back(), "granted");
}

TEST_F(FairMutexQueueTest, ForeignChildIsReportedOnce) {
  must(simulation_.run(create(*b_.session, "/lock")), "create");
  must(simulation_.run(create(*b_.session, "/lock/config")), "create");
  const auto held = a_.queue_up();
  EXPECT_EQ(a_.observer.calls(), (Calls{"place reserved", "ignores config", "granted"}));
}

TEST_F(FairMutexQueueTest, ContendersOfOtherLibrariesCountIfTheirMarksAreGiven) {
  const std::array marks = {Mark{kLockMark, Share::kExclusive},
                            Mark{"__lock__", Share::kExclusive}};
  LockOptions options;
  options.marks = marks;
  FairMutex mutex(*a_.session, "/lock", options);
  must(simulation_.run(create(*b_.session, "/lock")), "create");
  must(simulation_.run(create(*b_.session, "/lock/0a__lock__0000000000")), "create");
  const auto held = start_and_settle(mutex.acquire());
  EXPECT_FALSE(held.done());
  must(simulation_.run(remove(*b_.session, "/lock/0a__lock__0000000000")), "remove");
  simulation_.run_until(held);
}

TEST_F(FairMutexQueueTest, TryAcquireDoesNotWait) {
  auto held = simulation_.run(a_.mutex.try_acquire());
  ASSERT_TRUE(held.has_value());
  EXPECT_EQ(error_of(run_and_settle(b_.mutex.try_acquire())), Error::kConflict);
  EXPECT_EQ(children(simulation_, "/lock").size(), 1U);
  EXPECT_EQ(b_.observer.calls().back(), "gave up: conflict");
}

TEST_F(FairMutexQueueTest, QueueShowsHoldersAndWaitersWithTheirData) {
  EXPECT_TRUE(must(simulation_.run(c_.mutex.contenders()), "contenders").empty());
  FairMutex mutex(*a_.session, "/lock", LockOptions("ann@host"));
  const auto held = simulation_.run(mutex.acquire());
  const auto by_b = b_.queue_up();
  const auto queue = must(simulation_.run(c_.mutex.contenders()), "contenders");
  ASSERT_EQ(queue.size(), 2U);
  EXPECT_TRUE(queue[0].holds);
  EXPECT_EQ(queue[0].data, Data("ann@host"));
  EXPECT_EQ(queue[0].stat.czxid, held->fencing_token());
  EXPECT_FALSE(queue[1].holds);
  EXPECT_EQ(queue[1].stat.ephemeral_owner, b_.session->id());
}

TEST_F(FairMutexQueueTest, QueueIsInOrderWhereTheNumbersWrap) {
  must(simulation_.run(create(*b_.session, "/lock")), "create");
  for (const char* const name : {"/lock/c-lock--2147483647", "/lock/b-lock--2147483648",
                                 "/lock/a-lock-2147483647", "/lock/config"}) {
    must(simulation_.run(create(*b_.session, name)), "create");
  }
  const auto queue = must(simulation_.run(c_.mutex.contenders()), "contenders");
  ASSERT_EQ(queue.size(), 3U);
  EXPECT_EQ(queue[0].znode.name(), "a-lock-2147483647");
  EXPECT_EQ(queue[1].znode.name(), "b-lock--2147483648");
  EXPECT_EQ(queue[2].znode.name(), "c-lock--2147483647");
}

// At its end the counter sticks: every later create gets the same number, and only the GUID
// distinguishes the contenders. None of them may hold.
TEST_F(FairMutexQueueTest, EndOfTheSequenceIsNodeExistsForEveryContender) {
  must(simulation_.run(create(*b_.session, "/lock")), "create");
  simulation_.wind_sequence("/lock", 2147483646);
  auto held = simulation_.run(a_.acquire());
  ASSERT_TRUE(held.has_value());
  EXPECT_TRUE(held->znode().name().ends_with("-2147483646"));
  const auto by_b = b_.queue_up();
  const auto by_c = c_.queue_up();
  EXPECT_EQ(error_of(by_b.result()), Error::kNodeExists);
  EXPECT_EQ(error_of(by_c.result()), Error::kNodeExists);
  simulation_.run(held->release());
  EXPECT_EQ(error_of(run_and_settle(b_.acquire())), Error::kNodeExists);
  EXPECT_TRUE(children(simulation_, "/lock").empty());
  // An operator repairs it like this.
  must(simulation_.run(remove(*c_.session, "/lock")), "remove");
  EXPECT_TRUE(simulation_.run(b_.acquire()).has_value());
}

// Makes a znode that nobody can read.
Task<Result<Created>> create_unreadable(Session& session, Path znode) {
  const Acl acl({AclEntry(permission::kDelete, "world", "anyone")});
  const Creation secret(CreateMode::kEphemeral, acl);
  co_return co_await session.create(znode, Data(), secret);
}

// The holder's ACL does not let others read it, so the server reports nothing about it (3.8.4).
TEST_F(FairMutexQueueTest, UnreadablePredecessorIsWatched) {
  must(simulation_.run(create(*b_.session, "/lock")), "create");
  must(simulation_.run(create_unreadable(*c_.session, "/lock/x-lock-0000000000")), "create");
  const auto by_b = b_.queue_up();
  EXPECT_FALSE(by_b.done());
  must(run_and_settle(remove(*c_.session, "/lock/x-lock-0000000000")), "remove");
  EXPECT_TRUE(by_b.done());
}

class GrantKeeper final : public LockObserver {
 public:
  std::optional<GrantRecord> grant;

 private:
  void granted(const GrantRecord& record) override { grant = record; }
};

TEST_F(FairMutexQueueTest, GrantRestsOnTheListThatShowedItFirst) {
  GrantKeeper keeper;
  FairMutex mutex(*b_.session, "/lock", &keeper);
  auto held_by_a = simulation_.run(a_.acquire());
  const auto by_c = c_.queue_up();
  const auto by_b = start_and_settle(mutex.acquire());
  simulation_.run(held_by_a->release());
  simulation_.run_until(by_c);
  simulation_.run(by_c.result()->release());
  simulation_.run_until(by_b);
  ASSERT_TRUE(keeper.grant.has_value());
  EXPECT_EQ(keeper.grant->session, b_.session->id());
  EXPECT_EQ(keeper.grant->lock, "/lock");
  EXPECT_EQ(keeper.grant->znode, by_b.result()->znode());
  EXPECT_EQ(keeper.grant->token, znode(simulation_, keeper.grant->znode)->czxid);
  EXPECT_EQ(keeper.grant->evidence, znode(simulation_, "/lock")->pzxid);  // C's delete.
  EXPECT_TRUE(keeper.grant->after.view().empty());
}

TEST_F(FairMutexQueueTest, GrantOfTheOnlyWaiterRestsOnTheDeletionInFrontOfIt) {
  GrantKeeper keeper;
  FairMutex mutex(*b_.session, "/lock", &keeper);
  auto held_by_a = simulation_.run(a_.acquire());
  const auto by_b = start_and_settle(mutex.acquire());
  simulation_.run(held_by_a->release());
  simulation_.run_until(by_b);
  ASSERT_TRUE(keeper.grant.has_value());
  EXPECT_EQ(keeper.grant->evidence, keeper.grant->created);  // The list in which it was second,
  EXPECT_EQ(keeper.grant->after, held_by_a->znode());        // and the znode that has gone since.
}

}  // namespace
}  // namespace lockstep
