#include "lockstep/fair_mutex.h"

#include <gtest/gtest.h>

#include "lockstep/fake/simulation.h"

namespace lockstep {
namespace {

using fake::FakeSession;
using fake::Simulation;
using fake::Started;
using namespace std::chrono_literals;

// The race this library exists for, scripted by hand: A deletes its znode after B has seen it in
// the list and before B's watch on it is registered.
TEST(FairMutexTest, PredecessorDeletedBeforeTheWatchIsRegistered) {
  Simulation simulation;
  const auto a = simulation.open("A");
  const auto b = simulation.open("B");
  FairMutex of_a(*a, "/lock");
  FairMutex of_b(*b, "/lock");

  Result<HeldLock> held_by_a = simulation.run(of_a.acquire());
  simulation.hold(*b, OpCode::kGetData);  // B lists the queue; its watching read stays under way,
  const Started<Result<HeldLock>> acquired_by_b = simulation.start(of_b.acquire());
  simulation.settle();
  EXPECT_EQ(simulation.run(held_by_a->release()), ReleaseOutcome::kReleased);  // A deletes,
  simulation.let_go(*b);  // and now it arrives.
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
  EXPECT_GT(simulation.now() - before, a->timeout());  // Virtual time: nobody slept.
  simulation.run_until(acquired_by_b);
  simulation.settle();
  EXPECT_EQ(held_by_a->state(), LockState::kLost);
  EXPECT_EQ(held_by_a->cause(), Error::kSessionExpired);
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_GT(acquired_by_b.result()->fencing_token(), held_by_a->fencing_token());
}

}  // namespace
}  // namespace lockstep
