// The kinds of locks that `lockstep show` and `lockstep revoke` see, on the simulated servers.
#include "production/lock_view.h"

#include <gtest/gtest.h>

#include "support/by_hand.h"

// In this namespace, as other tests of the target call close() of the system.
namespace lockstep::unit {
namespace {

using LockViewTest = SimulatedSessionsTest;

// The lists of leases and of waiters, which were empty, are older.
TEST_F(LockViewTest, AContenderThatComesBetweenTheListsIsNoOtherChild) {
  must(simulation_.run(create(*b_, "/semaphore")), "create");
  must(simulation_.run(create(*b_, "/semaphore/leases")), "create");
  must(simulation_.run(create(*b_, "/semaphore/locks")), "create");
  const RequestCounter requests(simulation_);
  const auto looks = simulation_.start(program::look_at(*a_, "/semaphore", Context()));
  while (requests.of(*a_, OpCode::kGetChildren) < 3) run_steps(simulation_, 1);
  simulation_.hold(*a_, OpCode::kGetChildren);
  must(simulation_.run(place_in(*b_, "/semaphore/locks")), "place_in");
  EXPECT_EQ(requests.of(*a_, OpCode::kGetChildren), 3U);
  let_go_and_settle(*a_);
  const program::LockView view = must(looks.result(), "look_at");
  EXPECT_EQ(requests.of(*a_, OpCode::kGetChildren), 4U);
  EXPECT_EQ(program::name(view.kind), "semaphore");
}

}  // namespace
}  // namespace lockstep::unit
