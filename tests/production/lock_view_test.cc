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

// Kazoo's Semaphore: leases are children, and those who wait are beside it, in a Lock of kazoo. The
// first of these is the one that looks for a lease.
TEST_F(LockViewTest, ASemaphoreOfKazooShowsItsLeasesAndWaiters) {
  const std::string lease = "/pool/0123456789abcdef0123456789abcdef";
  must(simulation_.run(create(*b_, "/pool", Data("1"))), "create");
  must(simulation_.run(create(*b_, lease, Data("ann"), CreateMode::kEphemeral)), "create");
  must(simulation_.run(create(*b_, "/pool-__lock__")), "create");
  must(simulation_.run(create(*b_, "/pool-__lock__/cafe__lock__", Data("bob"),
                              CreateMode::kEphemeralSequential)),
       "create");
  const program::LockView view =
      must(simulation_.run(program::look_at(*a_, "/pool", Context())), "look_at");
  EXPECT_EQ(program::name(view.kind), "semaphore");
  ASSERT_EQ(view.holders.size(), 1U);
  EXPECT_EQ(view.holders.front().znode.string(), lease);
  EXPECT_EQ(view.holders.front().data.view(), "ann");
  EXPECT_EQ(view.holders.front().stat.ephemeral_owner, b_->id());
  ASSERT_EQ(view.waiters.size(), 1U);
  EXPECT_EQ(view.waiters.front().data.view(), "bob");
}

TEST_F(LockViewTest, ALeaseOfKazooMayHideItsData) {
  const Acl secret({AclEntry(permission::kDelete, "world", "anyone")});
  must(simulation_.run(create(*b_, "/pool")), "create");
  const auto hide = [](Session& session, Acl acl) -> Task<Result<Created>> {
    const Path lease("/pool/0123456789abcdef0123456789abcdef");
    const Creation creation(CreateMode::kEphemeral, std::move(acl));
    co_return co_await session.create(lease, Data("ann"), creation);
  };
  must(simulation_.run(hide(*b_, secret)), "create");
  const program::LockView view =
      must(simulation_.run(program::look_at(*a_, "/pool", Context())), "look_at");
  ASSERT_EQ(view.holders.size(), 1U);
  EXPECT_EQ(view.holders.front().data.view(), "");
  EXPECT_EQ(view.holders.front().stat.ephemeral_owner, b_->id());
}

}  // namespace
}  // namespace lockstep::unit
