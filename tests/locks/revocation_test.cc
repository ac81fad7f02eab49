#include "lockstep/revocation.h"

#include <gtest/gtest.h>

#include <memory>
#include <stop_token>

#include "lockstep/blocking/read_write_lock.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/read_write_lock.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

class RevocationTest : public SimulatedTest {
 protected:
  static LockOptions revocable(std::optional<Duration> grace = std::nullopt) {
    LockOptions options(Data("ann@host"));
    options.revocable = true;
    options.grace = grace;
    return options;
  }
  HeldLock hold(std::optional<Duration> grace = std::nullopt) {
    FairMutex mutex(*a_, "/lock", revocable(grace), &observer_);
    HeldLock held = must(run_and_settle(mutex.acquire()), "acquire");
    return held;
  }

  RecordingObserver observer_;
  const std::shared_ptr<FakeSession> a_ = simulation_.open("A");
  const std::shared_ptr<FakeSession> b_ = simulation_.open("B");
  const std::shared_ptr<FakeSession> c_ = simulation_.open("C");
};

TEST_F(RevocationTest, HolderHearsOfItAndDecides) {
  HeldLock held = hold();
  const std::stop_token asked = held.revoked_token();
  EXPECT_FALSE(asked.stop_requested());
  must(run_and_settle(revoke(*b_, "/lock")), "revoke");
  EXPECT_TRUE(asked.stop_requested());
  EXPECT_TRUE(held.revoked_token().stop_requested());
  simulation_.advance(1h);
  EXPECT_EQ(held.state(), LockState::kHeld);
  EXPECT_EQ(simulation_.run(held.release()), ReleaseOutcome::kReleased);
}

// A holder that the session's server has not seen yet is asked, too.
TEST_F(RevocationTest, SyncsBeforeItLists) {
  const HeldLock held = hold();
  const RequestCounter requests(simulation_);
  simulation_.hold(*b_, OpCode::kGetChildren);
  const auto asks = start_and_settle(revoke(*b_, "/lock"));
  EXPECT_EQ(requests.of(*b_, OpCode::kSync), 1U);
  EXPECT_EQ(requests.of(*b_), 1U);
  let_go_and_settle(*b_);
  EXPECT_TRUE(asks.result().has_value());
}

// Curator's Revoker does the same.
TEST_F(RevocationTest, DataOnTheHoldersZnodeIsTheRequest) {
  const HeldLock held = hold();
  must(run_and_settle(set_data(*b_, held.znode(), "something else")), "set_data");
  EXPECT_FALSE(held.revoked_token().stop_requested());
  must(run_and_settle(set_data(*b_, held.znode(), "__REVOKE__")), "set_data");
  EXPECT_TRUE(held.revoked_token().stop_requested());
}

TEST_F(RevocationTest, AfterTheGracePeriodTheLockIsTaken) {
  HeldLock held = hold(5s);
  FairMutex of_b(*b_, "/lock");
  const auto by_b = start_and_settle(of_b.acquire());
  const std::stop_token lost = held.lost_token();
  must(simulation_.run(revoke(*b_, "/lock")), "revoke");
  simulation_.advance(5s - 1ns);
  EXPECT_EQ(held.state(), LockState::kHeld);
  EXPECT_FALSE(by_b.done());
  simulation_.advance(1ns);
  EXPECT_EQ(held.state(), LockState::kLost);
  EXPECT_EQ(held.cause(), Error::kRevoked);
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_TRUE(by_b.done());
  EXPECT_EQ(simulation_.run(held.release()), ReleaseOutcome::kAlreadyLost);
  EXPECT_EQ(observer_.calls(), (Calls{"place reserved", "granted", "revocation asked",
                                      "lost: revoked", "released: already lost"}));
}

TEST_F(RevocationTest, HolderThatReleasesInTimeLosesNothing) {
  HeldLock held = hold(5s);
  must(run_and_settle(revoke(*b_, "/lock")), "revoke");
  EXPECT_EQ(simulation_.run(held.release()), ReleaseOutcome::kReleased);
  simulation_.advance(1h);
  EXPECT_EQ(held.cause(), std::nullopt);
}

TEST_F(RevocationTest, WaiterAfterTheRevokedHolderIsNotAskedAndGoesOnWaiting) {
  HeldLock held = hold();
  FairMutex of_b(*b_, "/lock", revocable());
  auto by_b = start_and_settle(of_b.acquire());
  must(run_and_settle(revoke(*c_, "/lock")), "revoke");
  EXPECT_FALSE(by_b.done());
  run_and_settle(held.release());
  ASSERT_TRUE(by_b.done());
  const HeldLock held_by_b = must(std::move(by_b.result()), "acquire");
  EXPECT_FALSE(held_by_b.revoked_token().stop_requested());
}

TEST_F(RevocationTest, RequestThatCameDuringAReconnectIsHeard) {
  const HeldLock held = hold();
  disconnect(simulation_, *a_);
  must(simulation_.run(revoke(*b_, "/lock")), "revoke");
  reconnect(simulation_, *a_);
  EXPECT_TRUE(held.revoked_token().stop_requested());
}

TEST_F(RevocationTest, PlainMutexDoesNotHearOfIt) {
  FairMutex mutex(*a_, "/lock");
  const HeldLock held = must(simulation_.run(mutex.acquire()), "acquire");
  static_cast<void>(held.lost_token());
  must(run_and_settle(revoke(*b_, "/lock")), "revoke");
  EXPECT_FALSE(held.revoked_token().stop_requested());
  EXPECT_EQ(held.state(), LockState::kHeld);
}

TEST_F(RevocationTest, RevokingAFreeLockIsNoNode) {
  EXPECT_EQ(error_of(simulation_.run(revoke(*b_, "/lock"))), Error::kNoNode);
  must(simulation_.run(create(*a_, "/lock")), "create");
  EXPECT_EQ(error_of(simulation_.run(revoke(*b_, "/lock"))), Error::kNoNode);
}

TEST_F(RevocationTest, TheNextHolderIsAskedIfTheRequestFindsNobody) {
  HeldLock held = hold();
  FairMutex of_b(*b_, "/lock", revocable());
  const auto by_b = start_and_settle(of_b.acquire());
  simulation_.hold(*c_, OpCode::kSetData);
  const auto asked = start_and_settle(revoke(*c_, "/lock"));
  run_and_settle(held.release());
  simulation_.let_go(*c_);
  simulation_.run_until(asked);
  simulation_.settle();
  must(asked.result(), "revoke");
  EXPECT_TRUE(by_b.result()->revoked_token().stop_requested());
}

TEST_F(RevocationTest, GraceOfZeroOrForAPlainLockIsBadArguments) {
  LockOptions plain;
  plain.grace = 1s;
  for (const LockOptions& options : {revocable(0s), revocable(-1s), plain}) {
    FairMutex mutex(*a_, "/lock", options);
    EXPECT_EQ(error_of(simulation_.run(mutex.acquire())), Error::kBadArguments);
  }
  EXPECT_FALSE(simulation_.exists("/lock"));
}

// ------------------------------------------------------------------------------ read/write locks

class ReadWriteRevocationTest : public RevocationTest {
 protected:
  static HeldLock must_hold(Simulation& simulation, Task<Result<HeldLock>> acquire) {
    HeldLock held = must(simulation.run(std::move(acquire)), "acquire");
    simulation.settle();
    return held;
  }
  void ask() { must(run_and_settle(revoke(*c_, "/lock", kReadWriteMarks)), "revoke"); }

  ReadWriteLock of_a_{*a_, "/lock", revocable(5s), &observer_};
  ReadWriteLock of_b_{*b_, "/lock", revocable()};
};

TEST_F(ReadWriteRevocationTest, AllReadersHearOfItAndNoWaiterDoes) {
  const HeldLock first = must_hold(simulation_, of_a_.acquire_read());
  const HeldLock second = must_hold(simulation_, of_b_.acquire_read());
  const auto writer = start_and_settle(of_b_.acquire_write());
  ask();
  EXPECT_TRUE(first.revoked_token().stop_requested());
  EXPECT_TRUE(second.revoked_token().stop_requested());
  simulation_.advance(5s);
  EXPECT_EQ(first.cause(), Error::kRevoked);  // Only this lock has a grace period.
  EXPECT_EQ(second.state(), LockState::kHeld);
  EXPECT_FALSE(writer.done());
  simulation_.end_tasks();
}

TEST_F(ReadWriteRevocationTest, ObserversReadTheDataOfHoldersAndWaiters) {
  const HeldLock reader = must_hold(simulation_, of_a_.acquire_read());
  const auto writer = start_and_settle(of_b_.acquire_write());
  const std::vector<QueueEntry> queue = must(simulation_.run(of_b_.contenders()), "contenders");
  ASSERT_EQ(queue.size(), 2U);
  for (const QueueEntry& entry : queue) EXPECT_EQ(entry.data.view(), "ann@host");
  EXPECT_TRUE(queue[0].holds);
  EXPECT_FALSE(queue[1].holds);
  simulation_.end_tasks();
}

TEST_F(ReadWriteRevocationTest, ADowngradedGrantKeepsTheRequestToItsWriter) {
  HeldLock held = must_hold(simulation_, of_a_.acquire_write());
  ask();
  simulation_.advance(3s);
  must(simulation_.run(of_a_.downgrade(held)), "downgrade");
  EXPECT_FALSE(held.revoked_token().stop_requested());  // It is a new grant.
  simulation_.settle();
  EXPECT_TRUE(held.revoked_token().stop_requested());
  simulation_.advance(4s);
  EXPECT_EQ(held.state(), LockState::kHeld);  // Its grace period has started again.
  simulation_.advance(1s);
  EXPECT_EQ(held.cause(), Error::kRevoked);
}

TEST_F(ReadWriteRevocationTest, AnUpgradedGrantKeepsTheRequestToItsReader) {
  HeldLock held = must_hold(simulation_, of_b_.acquire_read());
  ask();
  must(run_and_settle(of_b_.upgrade(held)), "upgrade");
  EXPECT_TRUE(held.revoked_token().stop_requested());
  EXPECT_EQ(held.state(), LockState::kHeld);
}

// The old grant's znode gets the request while its deletion is on its way.
TEST_F(ReadWriteRevocationTest, ARequestDuringAChangeReachesTheNewGrant) {
  HeldLock held = must_hold(simulation_, of_a_.acquire_write());
  const Path writer = held.znode();
  simulation_.hold(*a_, OpCode::kRemove);
  must(simulation_.run(of_a_.downgrade(held)), "downgrade");
  must(simulation_.run(set_data(*c_, writer, kRevokeRequest)), "set_data");
  let_go_and_settle(*a_);
  EXPECT_FALSE(simulation_.exists(writer));
  EXPECT_TRUE(held.revoked_token().stop_requested());
}

// The reader in between has left before the request reaches its znode.
TEST_F(ReadWriteRevocationTest, ARequestDuringTwoChangesReachesTheLastGrant) {
  HeldLock held = must_hold(simulation_, of_a_.acquire_write());
  const Path writer = held.znode();
  simulation_.hold(*a_, OpCode::kRemove);
  must(simulation_.run(of_a_.downgrade(held)), "downgrade");
  const Path reader = held.znode();
  must(simulation_.run(set_data(*c_, writer, kRevokeRequest)), "set_data");
  const auto upgraded = simulation_.start(of_a_.try_upgrade(held));
  let_go_and_settle(*a_);
  must(upgraded.result(), "try_upgrade");
  EXPECT_FALSE(simulation_.exists(writer));
  EXPECT_FALSE(simulation_.exists(reader));
  EXPECT_TRUE(held.revoked_token().stop_requested());
}

TEST_F(ReadWriteRevocationTest, OtherDataDoNotKeepTheOldGrantFromLeaving) {
  HeldLock held = must_hold(simulation_, of_a_.acquire_write());
  const Path writer = held.znode();
  must(simulation_.run(set_data(*c_, writer, "bob@host")), "set_data");
  must(run_and_settle(of_a_.downgrade(held)), "downgrade");
  EXPECT_FALSE(simulation_.exists(writer));
  EXPECT_FALSE(held.revoked_token().stop_requested());
}

TEST_F(ReadWriteRevocationTest, TheOldGrantLeavesDespiteACut) {
  for (std::uint32_t accepted = 0; accepted < 2; ++accepted) {
    HeldLock held = must_hold(simulation_, of_a_.acquire_write());
    const Path writer = held.znode();
    must(simulation_.run(of_a_.downgrade(held)), "downgrade");
    simulation_.cut(*a_, accepted);
    simulation_.settle();
    EXPECT_FALSE(simulation_.exists(writer));
    EXPECT_EQ(held.state(), LockState::kHeld);
    EXPECT_EQ(run_and_settle(held.release()), ReleaseOutcome::kReleased);
  }
}

TEST_F(ReadWriteRevocationTest, AHolderDoesNotConflictWithItsOwnEarlierGrant) {
  HeldLock held = must_hold(simulation_, of_a_.acquire_read());
  for (int change = 0; change < 3; ++change) {
    must(simulation_.run(of_a_.try_upgrade(held)), "try_upgrade");
    must(simulation_.run(of_a_.downgrade(held)), "downgrade");
  }
}

// The old writer has got new data, so that its first deletion fails, and is still there.
TEST_F(ReadWriteRevocationTest, AnUpgradeDoesNotConflictWithTheWriterThatIsStillLeaving) {
  HeldLock held = must_hold(simulation_, of_a_.acquire_write());
  const Path writer = held.znode();
  must(simulation_.run(set_data(*c_, writer, "bob@host")), "set_data");
  must(simulation_.run(of_a_.downgrade(held)), "downgrade");
  must(simulation_.run(of_a_.try_upgrade(held)), "try_upgrade");
  EXPECT_EQ(held.share(), Share::kExclusive);
  simulation_.settle();
  EXPECT_FALSE(simulation_.exists(writer));
}

TEST_F(ReadWriteRevocationTest, AChangeAloneAsksForNothing) {
  HeldLock held = must_hold(simulation_, of_a_.acquire_write());
  must(simulation_.run(of_a_.downgrade(held)), "downgrade");
  must(run_and_settle(of_a_.upgrade(held)), "upgrade");
  EXPECT_FALSE(held.revoked_token().stop_requested());
  EXPECT_EQ(znode(simulation_, held.znode())->data.view(), "ann@host");
}

TEST_F(ReadWriteRevocationTest, BlockingReadersHearOfItToo) {
  fake::FakeClient& client = simulation_.client("Dora");
  blocking::ReadWriteLock lock(client, "/lock", revocable());
  lock.lock_shared();
  const std::stop_token asked = lock.revoked_token();
  EXPECT_FALSE(asked.stop_requested());
  ask();
  EXPECT_TRUE(asked.stop_requested());
  lock.unlock_shared();
}

}  // namespace
}  // namespace lockstep
