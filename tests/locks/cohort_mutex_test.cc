#include "lockstep/cohort_mutex.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <utility>
#include <vector>

#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

class CohortMutexTest : public SimulatedSessionTest {
 protected:
  static CohortBounds three_grants() {
    CohortBounds bounds;
    bounds.grants = 3;
    bounds.time = 1s;
    return bounds;
  }
  CohortMutex::Hold take() { return must(simulation_.run(mutex_.acquire()), "acquire"); }
  auto start(Context context = {}) { return start_and_settle(mutex_.acquire(std::move(context))); }
  // Starts a contender of another process, which queues up like any FairMutex.
  auto start_elsewhere() { return start_and_settle(elsewhere_.acquire()); }
  template <class Started>
  CohortMutex::Hold granted(Started& started) {
    simulation_.run_until(started);
    return must(std::move(started.result()), "acquire");
  }
  static Task<ReleaseOutcome> release_after(AsyncEvent& go, CohortMutex::Hold& hold) {
    static_cast<void>(co_await go.wait());
    const ReleaseOutcome outcome = co_await hold.release();
    co_return outcome;
  }
  std::size_t places() { return children(simulation_, "/lock").size(); }

  const std::shared_ptr<FakeSession> other_ = simulation_.open("B");
  CohortMutex mutex_{*session_, "/lock", three_grants()};
  FairMutex elsewhere_{*other_, "/lock"};
};

TEST_F(CohortMutexTest, GrantIsHandedOnInOrderWithoutARequest) {
  CohortMutex::Hold first = take();
  auto second = start();
  auto third = start();
  EXPECT_EQ(places(), 1U);
  const RequestCounter requests(simulation_);
  const CohortToken first_token = first.fencing_token();
  EXPECT_EQ(simulation_.run(first.release()), ReleaseOutcome::kReleased);
  CohortMutex::Hold hold = granted(second);
  EXPECT_FALSE(third.done());
  EXPECT_LT(first_token, hold.fencing_token());
  EXPECT_EQ(first_token.batch, hold.fencing_token().batch);
  const CohortToken second_token = hold.fencing_token();
  EXPECT_EQ(simulation_.run(hold.release()), ReleaseOutcome::kReleased);
  CohortMutex::Hold last = granted(third);
  EXPECT_LT(second_token, last.fencing_token());
  EXPECT_EQ(requests.total(), 0U);
  EXPECT_EQ(run_and_settle(last.release()), ReleaseOutcome::kReleased);
  EXPECT_EQ(places(), 0U);
}

TEST_F(CohortMutexTest, BatchEndsAfterItsGrants) {
  CohortMutex::Hold hold = take();
  auto second = start();
  auto third = start();
  auto fourth = start();
  auto rival = start_elsewhere();
  simulation_.run(hold.release());
  hold = granted(second);
  simulation_.run(hold.release());
  hold = granted(third);
  const CohortToken before = hold.fencing_token();
  simulation_.run(hold.release());
  simulation_.run_until(rival);
  simulation_.settle();
  EXPECT_FALSE(fourth.done());
  HeldLock held = must(std::move(rival.result()), "acquire elsewhere");
  EXPECT_GT(held.fencing_token(), before.batch);
  simulation_.run(held.release());
  const CohortMutex::Hold last = granted(fourth);
  EXPECT_LT(before, last.fencing_token());
  EXPECT_GT(last.fencing_token().batch, held.fencing_token());
}

TEST_F(CohortMutexTest, BatchEndsAfterItsTime) {
  CohortMutex::Hold hold = take();
  auto second = start();
  auto rival = start_elsewhere();
  simulation_.advance(1s);
  simulation_.run(hold.release());
  simulation_.run_until(rival);
  EXPECT_FALSE(second.done());
  HeldLock in_between = must(std::move(rival.result()), "acquire");
  EXPECT_EQ(simulation_.run(in_between.release()), ReleaseOutcome::kReleased);
  EXPECT_EQ(granted(second).fencing_token().position, 1U);
}

TEST_F(CohortMutexTest, WaiterWhoseDeadlinePassesIsSkipped) {
  CohortMutex::Hold hold = take();
  auto second = start(simulation_.now() + 100ms);
  auto third = start();
  simulation_.advance(100ms);
  EXPECT_EQ(error_of(second.result()), Error::kTimedOut);
  simulation_.run(hold.release());
  EXPECT_EQ(granted(third).held().state(), LockState::kHeld);
}

TEST_F(CohortMutexTest, WaiterThatGaveUpAsItWasHandedTheGrantHandsItOn) {
  CohortMutex::Hold hold = take();
  std::stop_source stop;
  auto second = start(stop.get_token());
  auto third = start();
  AsyncEvent go(session_->executor());
  auto release = start_and_settle(release_after(go, hold));
  // In this order: the wait is cancelled, the release hands the grant to the waiter, the waiter
  // resumes.
  stop.request_stop();
  go.set();
  simulation_.run_until(second);
  EXPECT_EQ(error_of(second.result()), Error::kCancelled);
  EXPECT_EQ(granted(third).fencing_token().position, 3U);
}

TEST_F(CohortMutexTest, DestroyedHoldIsHandedOn) {
  std::optional<CohortMutex::Hold> hold(take());
  auto second = start();
  hold.reset();
  EXPECT_EQ(granted(second).fencing_token().position, 2U);
}

TEST_F(CohortMutexTest, LastWaiterThatGivesUpLeavesNoPlace) {
  auto rival = start_elsewhere();
  simulation_.run_until(rival);
  auto only = start(simulation_.now() + 100ms);
  EXPECT_EQ(places(), 2U);
  simulation_.advance(100ms);
  simulation_.settle();
  EXPECT_EQ(error_of(only.result()), Error::kTimedOut);
  EXPECT_EQ(places(), 1U);
}

TEST_F(CohortMutexTest, LostGrantIsNotHandedOnAndTheWaitersQueueUpAgain) {
  CohortMutex::Hold hold = take();
  auto second = start();
  must(run_and_settle(remove(*other_, hold.held().znode())), "remove");
  EXPECT_EQ(hold.held().cause(), Error::kNoNode);
  const CohortMutex::Hold next = granted(second);
  EXPECT_LT(hold.fencing_token().batch, next.fencing_token().batch);
  EXPECT_EQ(next.fencing_token().position, 1U);
  EXPECT_EQ(simulation_.run(hold.release()), ReleaseOutcome::kAlreadyLost);
  EXPECT_EQ(next.held().state(), LockState::kHeld);
}

TEST_F(CohortMutexTest, SuspectGrantIsNotHandedOn) {
  CohortMutex::Hold hold = take();
  const CohortToken before = hold.fencing_token();
  auto second = start();
  disconnect(simulation_, *session_);
  ASSERT_EQ(hold.held().state(), LockState::kSuspect);
  const auto release = simulation_.start(hold.release());
  reconnect(simulation_, *session_);
  const CohortMutex::Hold next = granted(second);
  EXPECT_EQ(release.result(), ReleaseOutcome::kReleased);
  EXPECT_EQ(next.fencing_token().position, 1U);
  EXPECT_LT(before.batch, next.fencing_token().batch);
}

TEST_F(CohortMutexTest, EndOfTheSessionEndsHolderAndWaiters) {
  CohortMutex::Hold hold = take();
  auto second = start();
  auto third = start();
  simulation_.kill(*session_);
  simulation_.settle();
  EXPECT_EQ(error_of(second.result()), Error::kSessionExpired);
  EXPECT_EQ(error_of(third.result()), Error::kSessionExpired);
  EXPECT_EQ(simulation_.run(hold.release()), ReleaseOutcome::kAlreadyLost);
}

TEST_F(CohortMutexTest, TryDoesNotWait) {
  {
    CohortMutex::Hold hold = must(simulation_.run(mutex_.try_acquire()), "try");
    EXPECT_EQ(error_of(simulation_.run(mutex_.try_acquire())), Error::kConflict);
    simulation_.run(hold.release());
  }
  auto rival = start_elsewhere();
  simulation_.run_until(rival);
  EXPECT_EQ(error_of(run_and_settle(mutex_.try_acquire())), Error::kConflict);
  EXPECT_EQ(places(), 1U);
}

// The shared place waits for a proof of contact: no contender is in the way.
TEST_F(CohortMutexTest, ADeadlineWithoutContactIsNoTimeout) {
  const ContactKeeper keeper(*session_);
  lose_contact(simulation_, *session_);
  const Context soon(simulation_.now() + session_->timeout() / 100);
  EXPECT_EQ(error_of(simulation_.run(mutex_.acquire(soon))), Error::kContactLost);
}

TEST_F(CohortMutexTest, ALostGrantDoesNotRefuseThoseThatDoNotWait) {
  const CohortMutex::Hold first = take();
  lose_contact(simulation_, *session_);
  simulation_.advance(session_->timeout());
  EXPECT_EQ(first.held().state(), LockState::kLost);
  const CohortMutex::Hold second = must(simulation_.run(mutex_.try_acquire()), "try_acquire");
  EXPECT_EQ(second.held().state(), LockState::kHeld);
}

// An observer must not throw. This one stands for an allocation that fails at its first grant.
class ThrowsOnce final : public LockObserver {
  void granted(const GrantRecord&) override {
    if (!std::exchange(thrown_, true)) throw std::runtime_error("no room for the grant");
  }
  bool thrown_ = false;
};

TEST_F(CohortMutexTest, AnExceptionReachesAllWaiters) {
  ThrowsOnce observer;
  CohortMutex mutex(*session_, "/lock", three_grants(), &observer);
  const auto first = simulation_.start(mutex.acquire());
  const auto second = start_and_settle(mutex.acquire());
  EXPECT_THROW(static_cast<void>(first.result()), std::runtime_error);
  EXPECT_THROW(static_cast<void>(second.result()), std::runtime_error);
  CohortMutex::Hold next = must(simulation_.run(mutex.acquire()), "acquire");
  EXPECT_EQ(simulation_.run(next.release()), ReleaseOutcome::kReleased);
}

}  // namespace
}  // namespace lockstep
