#include <gtest/gtest.h>

#include <stdexcept>

#include "lockstep/blocking/leader_latch.h"
#include "lockstep/fair_mutex.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

// An observer must not throw. This one stands for an allocation that fails at the same time.
class ThrowingObserver final : public LockObserver {
  void granted(const GrantRecord&) override { throw std::runtime_error("no room for the grant"); }
};

TEST(FailedGrantTest, LeavesNoZnodeAndDoesNotListen) {
  Simulation simulation;
  const std::shared_ptr<FakeSession> session = simulation.open("A");
  ThrowingObserver throws;
  FairMutex mutex(*session, "/lock", &throws);
  EXPECT_THROW(static_cast<void>(simulation.run(mutex.acquire())), std::runtime_error);
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
  EXPECT_THROW(static_cast<void>(latch.wait()), std::runtime_error);
  latch.close();  // Would wait forever for a candidate that has not ended.
}

}  // namespace
}  // namespace lockstep
