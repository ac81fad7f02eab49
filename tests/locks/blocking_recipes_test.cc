#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "lockstep/blocking/cohort_mutex.h"
#include "lockstep/blocking/double_barrier.h"
#include "lockstep/blocking/leader_latch.h"
#include "lockstep/blocking/multi_lock.h"
#include "lockstep/blocking/recursive_read_write_lock.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/read_write_lock.h"
#include "lockstep/shared_on_client.h"
#include "lockstep/sleep.h"
#include "support/by_hand.h"

// The blocking forms of the recipes that are more than one queue.
namespace lockstep {
namespace {

using namespace unit;

class BlockingRecipesTest : public SimulatedTest {
 protected:
  std::size_t places(const Path& lock) { return children(simulation_, lock).size(); }
  // A contender of another process takes a lock now, and holds it for two seconds.
  template <class Acquire>
  void hold_elsewhere(Acquire acquire) {
    const auto hold = [](Task<Result<HeldLock>> taking, Executor& executor) -> Task<void> {
      HeldLock held = must(co_await std::move(taking), "acquire");
      static_cast<void>(co_await sleep_for(executor, 2s));
      static_cast<void>(co_await held.release());
    };
    simulation_.start(hold(acquire(*other_), other_->executor()));
    simulation_.settle();
  }

  fake::FakeClient& ann_ = simulation_.client("Ann");
  const std::shared_ptr<FakeSession> other_ = simulation_.open("Other");
};

// ------------------------------------------------------------------------------------ CohortMutex

TEST_F(BlockingRecipesTest, CohortMutexIsAStandardMutex) {
  blocking::CohortMutex mutex(ann_, "/lock");
  CohortToken first(0, 0);
  {
    const std::unique_lock lock(mutex, 1s);
    ASSERT_TRUE(lock.owns_lock());
    EXPECT_EQ(places("/lock"), 1U);
    first = mutex.fencing_token();
    EXPECT_EQ(first.position, 1U);
    EXPECT_EQ(mutex.state(), LockState::kHeld);
    EXPECT_FALSE(mutex.lost_token().stop_requested());
    EXPECT_EQ(code_of([&] { mutex.lock(); }), std::errc::resource_deadlock_would_occur);
    EXPECT_FALSE(mutex.try_lock());
  }
  EXPECT_EQ(places("/lock"), 0U);
  EXPECT_TRUE(mutex.try_lock());
  EXPECT_LT(first, mutex.fencing_token());
  EXPECT_EQ(mutex.release(), ReleaseOutcome::kReleased);
  EXPECT_EQ(code_of([&] { mutex.unlock(); }), std::errc::operation_not_permitted);
}

TEST_F(BlockingRecipesTest, CohortMutexWaitsForContendersElsewhere) {
  blocking::CohortMutex mutex(ann_, "/lock");
  FairMutex elsewhere(*other_, "/lock");
  hold_elsewhere([&](Session&) { return elsewhere.acquire(); });
  EXPECT_FALSE(mutex.try_lock());
  EXPECT_FALSE(mutex.try_lock_for(1s));
  EXPECT_TRUE(mutex.try_lock_for(5s));
  mutex.unlock();
}

TEST_F(BlockingRecipesTest, CohortMutexGoesOnWithTheNextSession) {
  blocking::CohortMutex mutex(ann_, "/lock");
  mutex.lock();
  const Zxid before = mutex.fencing_token().batch;
  const std::stop_token lost = mutex.lost_token();
  expire(simulation_, ann_);
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_EQ(mutex.release(), ReleaseOutcome::kAlreadyLost);
  mutex.lock();
  EXPECT_GT(mutex.fencing_token().batch, before);
  mutex.unlock();
}

using SharedCohort = SharedOnClient<CohortMutex>;

TEST_F(BlockingRecipesTest, AcquiresOfOneClientShareAPlace) {
  SharedCohort lock(ann_, "/lock", CohortBounds());
  auto first = must(simulation_.run(lock.acquire()), "acquire");
  const auto second = start_and_settle(lock.acquire());
  EXPECT_EQ(places("/lock"), 1U);
  EXPECT_EQ(simulation_.run(first.held.release()), ReleaseOutcome::kReleased);
  simulation_.run_until(second);
  auto next = must(std::move(second.result()), "acquire");
  EXPECT_EQ(next.held.fencing_token().position, 2U);
  EXPECT_EQ(next.held.fencing_token().batch, next.held.held().fencing_token());
  simulation_.run(next.held.release());
}

// A contender that shares its place sends no request, so no answer need follow its arrival.
TEST_F(BlockingRecipesTest, ADeadlineBehindTheOwnCohortIsATimeout) {
  SharedCohort lock(ann_, "/lock", CohortBounds());
  auto first = must(simulation_.run(lock.acquire()), "acquire");
  // The first of them makes the mutex watch its znode, which is answered.
  for (int i = 0; i < 2; ++i) {
    simulation_.advance(100ms);
    EXPECT_EQ(error_of(simulation_.run(lock.acquire(100ms))), Error::kTimedOut);
  }
  simulation_.run(first.held.release());
}

TEST_F(BlockingRecipesTest, ADeadlineInASharedPlaceIsATimeout) {
  SharedCohort elsewhere(simulation_.client("Bob"), "/lock", CohortBounds());
  auto holder = must(simulation_.run(elsewhere.acquire()), "acquire");
  SharedCohort lock(ann_, "/lock", CohortBounds());
  const auto first = simulation_.start(lock.acquire());
  simulation_.advance(1s);
  EXPECT_EQ(error_of(simulation_.run(lock.acquire(100ms))), Error::kTimedOut);
  simulation_.run(holder.held.release());
  simulation_.run_until(first);
}

TEST_F(BlockingRecipesTest, ADeadlineInAnUnansweredPlaceIsNoTimeout) {
  SharedCohort lock(ann_, "/lock", CohortBounds());
  simulation_.run(must(simulation_.run(lock.acquire()), "acquire").held.release());
  simulation_.advance(1s);
  simulation_.hold(*ann_.current(), OpCode::kCreate);
  const auto first = simulation_.start(lock.acquire());
  EXPECT_EQ(error_of(simulation_.run(lock.acquire(100ms))), Error::kOperationTimeout);
}

TEST_F(BlockingRecipesTest, GrantOutlivesTheLockThatGaveIt) {
  std::optional<SharedCohort> lock(std::in_place, ann_, "/lock", CohortBounds());
  auto grant = must(simulation_.run(lock->acquire()), "acquire");
  lock.reset();
  EXPECT_EQ(grant.held.held().state(), LockState::kHeld);
  EXPECT_EQ(simulation_.run(grant.held.release()), ReleaseOutcome::kReleased);
}

// -------------------------------------------------------------------------------------- MultiLock

TEST_F(BlockingRecipesTest, MultiLockTakesAllOrNone) {
  blocking::MultiLock both(ann_, LockSet().write("/rw").mutex("/a"));
  {
    const std::lock_guard lock(both);
    EXPECT_EQ(places("/a"), 1U);
    EXPECT_EQ(places("/rw"), 1U);
    EXPECT_EQ(both.fencing_tokens().size(), 2U);
    EXPECT_LT(both.fencing_tokens()[0], both.fencing_tokens()[1]);
    EXPECT_EQ(both.checks().size(), 2U);
    EXPECT_EQ(both.state(), LockState::kHeld);
    EXPECT_EQ(code_of([&] { both.lock(); }), std::errc::resource_deadlock_would_occur);
  }
  EXPECT_EQ(places("/a") + places("/rw"), 0U);
  ReadWriteLock elsewhere(*other_, "/rw");
  hold_elsewhere([&](Session&) { return elsewhere.acquire_read(); });
  EXPECT_FALSE(both.try_lock_for(1s));
  simulation_.settle();
  EXPECT_EQ(places("/a"), 0U);
  EXPECT_TRUE(both.try_lock_until(simulation_.now() + 5s));
  EXPECT_EQ(both.release(), ReleaseOutcome::kReleased);
}

TEST_F(BlockingRecipesTest, LossOfOneLockLeavesTheOthers) {
  blocking::MultiLock both(ann_, std::vector<Path>{"/b", "/a"});
  both.lock();
  const std::vector<std::stop_token> lost = both.lost_tokens();
  simulation_.settle();
  const Path znode = Path("/b") / children(simulation_, "/b").front();
  must(run_and_settle(remove(*other_, znode)), "remove");
  EXPECT_FALSE(lost[0].stop_requested());
  EXPECT_TRUE(lost[1].stop_requested());
  EXPECT_TRUE(both.suspect_tokens()[1].stop_requested());
  EXPECT_EQ(both.state(), LockState::kLost);
  EXPECT_EQ(both.release(), ReleaseOutcome::kAlreadyLost);
}

TEST_F(BlockingRecipesTest, MultiLockNamesItsLocksInErrors) {
  blocking::MultiLock none(ann_, LockSet());
  EXPECT_EQ(code_of([&] { none.lock(); }), Error::kBadArguments);
  blocking::MultiLock ambiguous(ann_, LockSet().mutex("/a").read("/b").mutex("/b"));
  const std::string said = message_of<blocking::LockError>([&] { ambiguous.lock(); });
  EXPECT_NE(said.find("lock() on /a, /b, /b: "), std::string::npos) << said;
}

// ------------------------------------------------------------------------- RecursiveReadWriteLock

class BlockingRecursionTest : public BlockingRecipesTest {
 protected:
  blocking::RecursiveReadWriteLock lock_{ann_, "/lock"};
};

TEST_F(BlockingRecursionTest, WriterReadsInsideAndReadsOn) {
  lock_.lock();
  lock_.lock();
  const RequestCounter requests(simulation_);
  EXPECT_TRUE(lock_.try_lock_shared());
  EXPECT_EQ(requests.total(), 0U);
  lock_.unlock();
  lock_.unlock();  // Downgrades.
  simulation_.settle();
  EXPECT_EQ(code_of([&] { lock_.unlock(); }), std::errc::operation_not_permitted);
  EXPECT_NE(children(simulation_, "/lock").front().find("__READ__"), std::string::npos);
  EXPECT_EQ(lock_.release_shared(), ReleaseOutcome::kReleased);
  EXPECT_EQ(places("/lock"), 0U);
  EXPECT_EQ(code_of([&] { lock_.unlock_shared(); }), std::errc::operation_not_permitted);
}

TEST_F(BlockingRecursionTest, ReaderWritesInsideOnceTheOthersHaveGone) {
  ReadWriteLock elsewhere(*other_, "/lock");
  hold_elsewhere([&](Session&) { return elsewhere.acquire_read(); });
  lock_.lock_shared();
  EXPECT_FALSE(lock_.try_lock());
  EXPECT_FALSE(lock_.try_lock_for(1s));
  lock_.lock();  // After a second.
  const Zxid token = lock_.fencing_token();
  EXPECT_GT(token, 0);
  lock_.unlock();
  lock_.unlock_shared();
}

TEST_F(BlockingRecursionTest, ReaderDoesNotWaitForAnotherWriter) {
  lock_.lock_shared();
  ReadWriteLock elsewhere(*other_, "/lock");
  const auto writer = start_and_settle(elsewhere.acquire_write());
  EXPECT_EQ(code_of([&] { lock_.lock(); }), std::errc::device_or_resource_busy);
  EXPECT_FALSE(lock_.try_lock());
  EXPECT_FALSE(lock_.try_lock_for(1s));
  EXPECT_EQ(lock_.state(), LockState::kHeld);
  lock_.unlock_shared();
  simulation_.run_until(writer);
  EXPECT_FALSE(lock_.try_lock_shared());
  EXPECT_FALSE(lock_.try_lock());
}

TEST_F(BlockingRecursionTest, LostLockIsNotEnteredBeforeAllHoldsAreUnlocked) {
  lock_.lock();
  lock_.lock_shared();
  expire(simulation_, ann_);
  EXPECT_EQ(code_of([&] { lock_.lock(); }), Error::kContactLost);
  EXPECT_EQ(code_of([&] { static_cast<void>(lock_.try_lock_shared()); }), Error::kContactLost);
  EXPECT_EQ(lock_.release(), ReleaseOutcome::kAlreadyLost);
  EXPECT_EQ(code_of([&] { lock_.lock_shared(); }), Error::kContactLost);
  EXPECT_EQ(lock_.release_shared(), ReleaseOutcome::kAlreadyLost);
  const std::shared_lock reading(lock_);
  EXPECT_EQ(lock_.state(), LockState::kHeld);
}

// ---------------------------------------------------------------------------------- DoubleBarrier

TEST_F(BlockingRecipesTest, BarrierOpensWhenAllHaveCome) {
  blocking::DoubleBarrier barrier(ann_, "/barrier", 2);
  DoubleBarrier elsewhere(*other_, "/barrier", 2);
  EXPECT_FALSE(barrier.try_enter_for(1s));
  simulation_.settle();
  EXPECT_EQ(places("/barrier"), 0U);
  const auto entering = simulation_.start(elsewhere.enter());
  barrier.enter();
  EXPECT_EQ(barrier.state(), LockState::kHeld);
  EXPECT_EQ(code_of([&] { barrier.enter(); }), std::errc::resource_deadlock_would_occur);
  simulation_.run_until(entering);
  DoubleBarrier::Member member = must(std::move(entering.result()), "enter");
  EXPECT_EQ(barrier.round(), member.round());
  EXPECT_FALSE(barrier.try_leave_for(1s));  // This member has left; the other one is inside.
  EXPECT_EQ(code_of([&] { static_cast<void>(barrier.round()); }),
            std::errc::operation_not_permitted);
  must(simulation_.run(member.leave()), "leave");
}

TEST_F(BlockingRecipesTest, BarrierOfOneOpensAtOnce) {
  blocking::DoubleBarrier barrier(ann_, "/barrier", 1);
  barrier.enter();
  const std::int32_t first = barrier.round();
  barrier.leave();
  EXPECT_EQ(code_of([&] { barrier.leave(); }), std::errc::operation_not_permitted);
  barrier.enter();
  EXPECT_GT(barrier.round(), first);
  EXPECT_TRUE(barrier.try_leave_until(simulation_.now() + 1s));
  blocking::DoubleBarrier none(ann_, "/barrier", 0);
  EXPECT_EQ(code_of([&] { none.enter(); }), Error::kBadArguments);
}

// ------------------------------------------------------------------------------------ LeaderLatch

class BlockingLatchTest : public BlockingRecipesTest {
 protected:
  blocking::LeaderLatch latch_{ann_, "/election", LockOptions("ann")};
};

TEST_F(BlockingLatchTest, LeadsUntilItResigns) {
  latch_.start();
  const blocking::Leadership first = latch_.wait();
  EXPECT_FALSE(first.over.stop_requested());
  EXPECT_EQ(latch_.leadership()->fencing_token, first.fencing_token);
  latch_.resign(first);
  EXPECT_TRUE(first.over.stop_requested());
  const blocking::Leadership second = latch_.wait();
  EXPECT_GT(second.fencing_token, first.fencing_token);
  latch_.resign(first);  // That term is over: no effect on the second.
  EXPECT_FALSE(second.over.stop_requested());
  latch_.close();
  EXPECT_TRUE(second.over.stop_requested());
  simulation_.settle();
  EXPECT_EQ(places("/election"), 0U);
}

TEST_F(BlockingLatchTest, WaitsWhileAnotherCandidateLeads) {
  FairMutex elsewhere(*other_, "/election");
  hold_elsewhere([&](Session&) { return elsewhere.acquire(); });
  latch_.start();
  EXPECT_FALSE(latch_.wait_for(1s));
  EXPECT_FALSE(latch_.leadership());
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(code_of([&] { latch_.wait(stop.get_token()); }), std::errc::operation_canceled);
  EXPECT_TRUE(latch_.wait_until(simulation_.now() + 5s));
}

TEST_F(BlockingLatchTest, ComesBackAfterALoss) {
  latch_.start();
  const blocking::Leadership first = latch_.wait();
  expire(simulation_, ann_);
  EXPECT_TRUE(first.over.stop_requested());
  const blocking::Leadership second = latch_.wait();
  EXPECT_GT(second.fencing_token, first.fencing_token);
  EXPECT_FALSE(second.over.stop_requested());
}

TEST_F(BlockingLatchTest, IsStartedOnceAndClosedOnce) {
  EXPECT_EQ(code_of([&] { latch_.wait(); }), std::errc::operation_not_permitted);
  latch_.start();
  EXPECT_EQ(code_of([&] { latch_.start(); }), std::errc::operation_not_permitted);
  latch_.close();
  latch_.close();
  EXPECT_EQ(code_of([&] { latch_.start(); }), std::errc::operation_not_permitted);
  EXPECT_EQ(code_of([&] { latch_.wait(); }), std::errc::operation_canceled);
  EXPECT_FALSE(latch_.leadership());
  blocking::LeaderLatch unused(ann_, "/election");
  unused.close();
  EXPECT_EQ(code_of([&] { unused.start(); }), std::errc::operation_not_permitted);
}

TEST_F(BlockingLatchTest, ImpossibleCandidacyIsAnErrorForItsWaiters) {
  blocking::LeaderLatch relative(ann_, "election");
  relative.start();
  EXPECT_EQ(code_of([&] { relative.wait(); }), Error::kBadArguments);
}

TEST_F(BlockingLatchTest, DestroyedLatchLeavesTheElection) {
  {
    blocking::LeaderLatch latch(ann_, "/other");
    latch.start();
    latch.wait();
    EXPECT_EQ(places("/other"), 1U);
  }
  simulation_.settle();
  EXPECT_EQ(places("/other"), 0U);
}

TEST_F(BlockingLatchTest, CloseWaitsForNoServer) {
  latch_.start();
  const blocking::Leadership term = latch_.wait();
  disconnect(simulation_, *ann_.current());
  const TimePoint before = simulation_.now();
  latch_.close();
  EXPECT_TRUE(term.over.stop_requested());
  EXPECT_EQ(simulation_.now(), before);
  EXPECT_EQ(places("/election"), 1U);
  reconnect(simulation_, *ann_.current());
  EXPECT_EQ(places("/election"), 0U);
}

}  // namespace
}  // namespace lockstep
