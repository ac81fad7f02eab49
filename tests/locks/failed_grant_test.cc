#include <gtest/gtest.h>

#include <stdexcept>

#include "lockstep/blocking/leader_latch.h"
#include "lockstep/fair_mutex.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

// An observer must not throw. This one stands for an allocation that fails at the same time,
// with a type that is not that of the simulation's own exception at a deadlock.
class ThrowingObserver final : public LockObserver {
  void granted(const GrantRecord&) override { throw std::domain_error("no room for the grant"); }
};

TEST(FailedGrantTest, LeavesNoZnodeAndDoesNotListen) {
  Simulation simulation;
  const std::shared_ptr<FakeSession> session = simulation.open("A");
  ThrowingObserver throws;
  FairMutex mutex(*session, "/lock", &throws);
  EXPECT_THROW(static_cast<void>(simulation.run(mutex.acquire())), std::domain_error);
  simulation.settle();
  EXPECT_TRUE(children(simulation, "/lock").empty());
  disconnect(simulation, *session);  // Tells all that listen.
  simulation.kill(*session);
  simulation.settle();
}

TEST(FailedGrantTest, EndsTheCandidacyOfABlockingLatch) {
  Simulation simulation;
  ThrowingObserver throws;
  blocking::LeaderLatch latch(simulation.client("A"), "/election", &throws);
  latch.start();
  EXPECT_THROW(static_cast<void>(latch.wait()), std::domain_error);
  EXPECT_THROW(static_cast<void>(latch.wait()), std::domain_error);  // So for every later waiter.
  latch.close();
}

}  // namespace
}  // namespace lockstep
