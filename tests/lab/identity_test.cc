#include <gtest/gtest.h>

#include <utility>

#include "lockstep/fair_mutex.h"
#include "lockstep/lab/hunt.h"
#include "lockstep/read_write_lock.h"
#include "search/hunting.h"
#include "support/by_hand.h"

// Hunts whose contenders have an identity and create with an ACL: LockUnderTest::sessions.
namespace lockstep {
namespace {

using namespace unit;
using lab::HuntReport;
using lab::HuntSettings;
using lab::LockUnderTest;

template <class Mutex>
HuntReport hunt(const SessionOptions& sessions) {
  LockUnderTest lock = lab::lock_under_test<Mutex>("with-identity");
  lock.sessions = sessions;
  HuntSettings settings{.executions = 1000};
  return lab::hunt_lock(lock, settings);
}

TEST(IdentityTest, LockOfItsCreatorsPassesAHunt) {
  SessionOptions sessions;
  sessions.auth.emplace_back("digest", "ann:secret");
  sessions.default_acl = Acl::creator_only();
  const HuntReport report = hunt<FairMutex>(sessions);
  EXPECT_TRUE(report.passed()) << report.text();
  EXPECT_EQ(report.executions, 1000U);
}

// The hunt really uses the ACL: without an identity no client can create a znode.
TEST(IdentityTest, LockWithoutAnOwnerIsNeverGranted) {
  SessionOptions sessions;
  sessions.default_acl = Acl::creator_only();
  const HuntReport report = hunt<FairMutex>(sessions);
  ASSERT_TRUE(report.failure.has_value());
  EXPECT_EQ(report.failure->violation.oracle, "misuse");
}

// A client's later sessions get the identity, too.
TEST(IdentityTest, NextSessionHasTheSameIdentity) {
  Simulation simulation;
  SessionOptions options;
  options.auth.emplace_back("digest", "ann:secret");
  options.default_acl = Acl::creator_only();
  fake::FakeClient& client = simulation.client("A");
  client.set_options(options);
  for (int sessions = 0; sessions < 2; ++sessions) {
    const auto session = must(simulation.run(client.session(Context())), "session");
    FairMutex mutex(*session, "/lock");
    const HeldLock held = must(simulation.run(mutex.acquire()), "acquire");
    EXPECT_FALSE(znode(simulation, held.znode())->acl == znode(simulation, "/")->acl);
    must(simulation.run(close(*session)), "close");
  }
}

}  // namespace
}  // namespace lockstep
