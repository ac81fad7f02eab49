#include "lockstep/recursive_mutex.h"

#include <gtest/gtest.h>

#include <memory>
#include <stop_token>
#include <thread>

#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

class RecursiveMutexTest : public SimulatedSessionTest {
 protected:
  RecursiveMutex::Hold enter(LockOwner owner) {
    return must(simulation_.run(mutex_.acquire(owner)), "acquire");
  }
  auto start(LockOwner owner, Context context = {}) {
    return start_and_settle(mutex_.acquire(owner, context));
  }

  const std::shared_ptr<FakeSession> other_ = simulation_.open("B");
  RecursiveMutex mutex_{*session_, "/lock"};
  const LockOwner ann_{this};
  const LockOwner bob_{&simulation_};
};

TEST_F(RecursiveMutexTest, OwnerEntersAgainWithoutARequest) {
  RecursiveMutex::Hold outer = enter(ann_);
  const RequestCounter requests(simulation_);
  RecursiveMutex::Hold inner = enter(ann_);
  EXPECT_EQ(requests.total(), 0U);
  EXPECT_EQ(mutex_.depth(ann_), 2U);
  EXPECT_EQ(inner.held().fencing_token(), outer.held().fencing_token());
  EXPECT_EQ(simulation_.run(inner.release()), ReleaseOutcome::kReleased);
  EXPECT_EQ(requests.total(), 0U);
  EXPECT_EQ(simulation_.run(outer.release()), ReleaseOutcome::kReleased);
  EXPECT_EQ(mutex_.depth(ann_), 0U);
  EXPECT_TRUE(children(simulation_, "/lock").empty());
}

TEST_F(RecursiveMutexTest, AnotherOwnerWaitsForTheLastRelease) {
  RecursiveMutex::Hold outer = enter(ann_);
  RecursiveMutex::Hold inner = enter(ann_);
  const auto bob = start(bob_);
  simulation_.run(outer.release());
  EXPECT_FALSE(bob.done());
  simulation_.run(inner.release());
  simulation_.run_until(bob);
  EXPECT_EQ(mutex_.depth(bob_), 1U);
}

TEST_F(RecursiveMutexTest, TryAcquireDoesNotWait) {
  RecursiveMutex::Hold outer = enter(ann_);
  EXPECT_EQ(error_of(simulation_.run(mutex_.try_acquire(bob_))), Error::kConflict);
  EXPECT_EQ(mutex_.depth(bob_), 0U);
  RecursiveMutex::Hold inner = must(simulation_.run(mutex_.try_acquire(ann_)), "try_acquire");
  EXPECT_EQ(mutex_.depth(ann_), 2U);
  simulation_.run(inner.release());
  simulation_.run(outer.release());
  EXPECT_TRUE(simulation_.run(mutex_.try_acquire(bob_, 1s)).has_value());
}

TEST_F(RecursiveMutexTest, DestroyedHoldsAreReleased) {
  {
    const RecursiveMutex::Hold outer = enter(ann_);
    {
      const RecursiveMutex::Hold inner = enter(ann_);
    }
    EXPECT_EQ(mutex_.depth(ann_), 1U);
  }
  simulation_.settle();
  EXPECT_EQ(mutex_.depth(ann_), 0U);
  EXPECT_TRUE(children(simulation_, "/lock").empty());
}

TEST_F(RecursiveMutexTest, LostLockIsNotEnteredAgain) {
  RecursiveMutex::Hold outer = enter(ann_);
  const std::stop_token lost = outer.held().lost_token();
  simulation_.settle();
  must(run_and_settle(remove(*other_, outer.held().znode())), "remove");
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_EQ(error_of(simulation_.run(mutex_.acquire(ann_))), Error::kNoNode);
  EXPECT_EQ(simulation_.run(outer.release()), ReleaseOutcome::kAlreadyLost);
  RecursiveMutex::Hold again = enter(ann_);  // After its owner has released it.
  EXPECT_EQ(again.held().state(), LockState::kHeld);
}

TEST_F(RecursiveMutexTest, InnerLevelOfALostLockIsAlreadyLost) {
  RecursiveMutex::Hold outer = enter(ann_);
  RecursiveMutex::Hold inner = enter(ann_);
  simulation_.kill(*session_);
  simulation_.settle();
  EXPECT_EQ(simulation_.run(inner.release()), ReleaseOutcome::kAlreadyLost);
  EXPECT_EQ(simulation_.run(outer.release()), ReleaseOutcome::kAlreadyLost);
}

TEST_F(RecursiveMutexTest, OwnerAcquiresOneAtATime) {
  const RecursiveMutex::Hold outer = enter(ann_);
  const auto bob = start(bob_, simulation_.now() + 1s);
  EXPECT_EQ(error_of(simulation_.run(mutex_.acquire(bob_))), Error::kConflict);
  simulation_.advance(1s);
  EXPECT_EQ(error_of(bob.result()), Error::kTimedOut);
  EXPECT_EQ(error_of(simulation_.run(mutex_.acquire(bob_, simulation_.now() + 1s))),
            Error::kTimedOut);
}

TEST_F(RecursiveMutexTest, OwnersAreDistinguished) {
  const std::thread::id thread = std::this_thread::get_id();  // allow(this_thread): a name only.
  const LockOwner here(thread);
  EXPECT_EQ(here, LockOwner(thread));
  EXPECT_FALSE(here == ann_);
  EXPECT_FALSE(here == LockOwner(std::thread::id()));
  EXPECT_FALSE(ann_ == bob_);
}

}  // namespace
}  // namespace lockstep
