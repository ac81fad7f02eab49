// A contender does not queue up for a grant that it would lose at once.
#include <gtest/gtest.h>

#include <optional>

#include "lockstep/double_barrier.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/held_lock.h"
#include "lockstep/read_write_lock.h"
#include "lockstep/semaphore.h"
#include "lockstep/unfair_mutex.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

class ContactWaitTest : public SimulatedSessionTest {
 protected:
  // A session that keeps its contact hears nothing of the servers for three session timeouts, and
  // then everything: no answer is young enough to prove anything.
  void lose_contact() {
    keeper_.emplace(*session_);
    unit::lose_contact(simulation_, *session_);
    ASSERT_EQ(session_->contact(), Contact::kOver);
    ASSERT_EQ(session_->state(), SessionState::kConnected);
  }

  // The grant takes a while, and lasts.
  void expect_lasting(Task<Result<HeldLock>> acquire) {
    lose_contact();
    const TimePoint began = simulation_.now();
    const HeldLock held = must(simulation_.run(std::move(acquire)), "acquire");
    EXPECT_EQ(held.state(), LockState::kHeld);
    EXPECT_GT(simulation_.now(), began);
    EXPECT_LE(simulation_.now(), began + timeout_ / 3);
    simulation_.advance(1h);
    EXPECT_EQ(held.state(), LockState::kHeld);
  }

  std::optional<ContactKeeper> keeper_;
  const Duration timeout_ = session_->timeout();
};

TEST_F(ContactWaitTest, AFairMutexWaitsForTheContact) {
  FairMutex mutex(*session_, "/lock");
  expect_lasting(mutex.acquire());
}

TEST_F(ContactWaitTest, AnUnfairMutexWaitsForTheContact) {
  UnfairMutex mutex(*session_, "/lock/holder");
  expect_lasting(mutex.acquire());
}

TEST_F(ContactWaitTest, AReadWriteLockWaitsForTheContact) {
  ReadWriteLock lock(*session_, "/lock");
  expect_lasting(lock.acquire_read());
}

TEST_F(ContactWaitTest, ASemaphoreWaitsForTheContact) {
  Semaphore semaphore(*session_, "/leases", 2);
  expect_lasting(semaphore.acquire());
}

TEST_F(ContactWaitTest, ADoubleBarrierWaitsForTheContact) {
  lose_contact();
  DoubleBarrier barrier(*session_, "/barrier", 1);
  const DoubleBarrier::Member member = must(simulation_.run(barrier.enter()), "enter");
  EXPECT_EQ(member.held().state(), LockState::kHeld);
}

TEST_F(ContactWaitTest, ADisconnectionDuringTheWaitIsNoTimeout) {
  lose_contact();
  FairMutex mutex(*session_, "/lock");
  const auto waiting = simulation_.start(mutex.acquire(Context(simulation_.now() + timeout_ / 8)));
  simulation_.advance(timeout_ / 16);
  disconnect(simulation_, *session_);
  simulation_.hold_inbox(*session_);
  simulation_.run_until(waiting);
  EXPECT_EQ(error_of(waiting.result()), Error::kContactLost);
}

TEST_F(ContactWaitTest, AContenderWithoutAClockOfItsOwnDoesNotWait) {
  lose_contact();
  LockOptions options;
  options.loss = LossPolicy::kServerNotice;
  FairMutex mutex(*session_, "/lock", options);
  const TimePoint began = simulation_.now();
  const HeldLock held = must(simulation_.run(mutex.acquire()), "acquire");
  EXPECT_EQ(held.state(), LockState::kHeld);
  EXPECT_EQ(simulation_.now(), began);
}

// It has no place in the queue, in which others would have to wait behind it.
TEST_F(ContactWaitTest, AWaitEndsAtItsDeadlineWithoutAPlace) {
  lose_contact();
  const RequestCounter requests(simulation_);
  FairMutex mutex(*session_, "/lock");
  const Context context(simulation_.now() + timeout_ / 100);
  const Result<HeldLock> held = simulation_.run(mutex.acquire(context));
  ASSERT_FALSE(held.has_value());
  EXPECT_EQ(held.error(), Error::kContactLost);
  EXPECT_EQ(requests.of(*session_, OpCode::kCreate), 0U);
}

TEST_F(ContactWaitTest, AWaitEndsWithItsSession) {
  lose_contact();
  FairMutex mutex(*session_, "/lock");
  const auto acquiring = simulation_.start(mutex.acquire());
  simulation_.expire(*session_);
  simulation_.run_until(acquiring);
  ASSERT_FALSE(acquiring.result().has_value());
  EXPECT_EQ(acquiring.result().error(), Error::kSessionExpired);
}

}  // namespace
}  // namespace lockstep
