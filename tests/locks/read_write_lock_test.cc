#include "lockstep/read_write_lock.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/revocation.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

using Acquired = Started<Result<HeldLock>>;

// One client: a session, its lock, and its notices.
struct Party {
  Party(Simulation& in, std::string_view name) : simulation(in), session(in.open(name)) {}

  HeldLock read() { return must(simulation.run(lock.acquire_read()), "acquire_read"); }
  HeldLock write() { return must(simulation.run(lock.acquire_write()), "acquire_write"); }
  Acquired wait(Task<Result<HeldLock>> acquire) {
    const Acquired started = simulation.start(std::move(acquire));
    simulation.settle();
    return started;
  }
  Acquired wait_to_read(Context context = {}) { return wait(lock.acquire_read(context)); }
  Acquired wait_to_write(Context context = {}) { return wait(lock.acquire_write(context)); }
  void release(HeldLock& held) {
    EXPECT_EQ(simulation.run(held.release()), ReleaseOutcome::kReleased);
    simulation.settle();
  }

  Simulation& simulation;
  std::shared_ptr<FakeSession> session;
  RecordingObserver observer;
  ReadWriteLock lock{*session, "/lock", &observer};
};

class ReadWriteLockTest : public SimulatedTest {
 protected:
  Party a_{simulation_, "A"};
  Party b_{simulation_, "B"};
  Party c_{simulation_, "C"};
};

TEST_F(ReadWriteLockTest, ReadersHoldTogetherAndWritersAlone) {
  HeldLock first = a_.read();
  HeldLock second = b_.read();
  EXPECT_EQ(first.share(), Share::kShared);
  const Acquired writer = c_.wait_to_write();
  EXPECT_FALSE(writer.done());
  a_.release(first);
  EXPECT_FALSE(writer.done());
  b_.release(second);
  ASSERT_TRUE(writer.done());
  EXPECT_EQ(writer.result()->share(), Share::kExclusive);
  EXPECT_GT(writer.result()->fencing_token(), second.fencing_token());
  EXPECT_FALSE(a_.wait_to_read().done());
}

TEST_F(ReadWriteLockTest, NamesAreThoseOfCurator) {
  const HeldLock reader = a_.read();
  const std::string name(reader.znode().name());
  EXPECT_TRUE(name.starts_with("_c_")) << name;
  EXPECT_TRUE(name.ends_with("-__READ__0000000000")) << name;
  const Acquired writer = b_.wait_to_write();
  EXPECT_TRUE(children(simulation_, "/lock").back().ends_with("-__WRIT__0000000001"));
}

// A reader that waited for later writers would wait for one that waits for it (kazoo#649).
TEST_F(ReadWriteLockTest, ReaderAfterAWaitingWriterWaitsAndTheReaderInFrontDoesNot) {
  HeldLock reader = a_.read();
  const Acquired writer = b_.wait_to_write();
  const Acquired behind = c_.wait_to_read();
  EXPECT_FALSE(writer.done());
  EXPECT_FALSE(behind.done());
  a_.release(reader);
  ASSERT_TRUE(writer.done());
  EXPECT_FALSE(behind.done());
  b_.release(*writer.result());
  EXPECT_TRUE(behind.done());
}

TEST_F(ReadWriteLockTest, TryAcquireDoesNotWaitAndLeavesNothing) {
  HeldLock reader = a_.read();
  EXPECT_EQ(error_of(run_and_settle(b_.lock.try_acquire_write())), Error::kConflict);
  EXPECT_EQ(children(simulation_, "/lock").size(), 1U);
  EXPECT_TRUE(simulation_.run(c_.lock.try_acquire_read()).has_value());
}

TEST_F(ReadWriteLockTest, ImpatientWriterLetsLaterReadersIn) {
  const HeldLock reader = a_.read();
  const Acquired writer = b_.wait_to_write(simulation_.now() + 1s);
  const Acquired behind = c_.wait_to_read();
  simulation_.advance(1s);
  EXPECT_EQ(error_of(writer.result()), Error::kTimedOut);
  EXPECT_TRUE(behind.done());
}

// ------------------------------------------------------------------------------- downgrade

TEST_F(ReadWriteLockTest, DowngradeLetsReadersInAndNoWriter) {
  HeldLock held = a_.write();
  const Zxid token = held.fencing_token();
  const Path writer_znode = held.znode();
  const Acquired reader = b_.wait_to_read();
  const Acquired writer = c_.wait_to_write();
  must(run_and_settle(a_.lock.downgrade(held)), "downgrade");
  EXPECT_EQ(held.share(), Share::kShared);
  EXPECT_EQ(held.fencing_token(), token);
  EXPECT_TRUE(held.znode().name().ends_with("-__READ__0000000000")) << held.znode().view();
  EXPECT_FALSE(simulation_.exists(writer_znode));
  EXPECT_TRUE(reader.done());
  EXPECT_FALSE(writer.done());
  b_.release(*reader.result());
  EXPECT_FALSE(writer.done());
  a_.release(held);
  EXPECT_TRUE(writer.done());
  EXPECT_EQ(a_.observer.calls(), (Calls{"place reserved", "granted", "granted",
                                        "released: released", "released: released"}));
}

TEST_F(ReadWriteLockTest, DowngradeSucceedsWhereverTwoCutsFall) {
  for (int i = 0; i < 64; ++i) {
    SCOPED_TRACE(i);
    HeldLock held = a_.write();
    const auto writer = start_and_settle(c_.lock.acquire_write());
    const auto changed = simulation_.start(a_.lock.downgrade(held));
    run_steps(simulation_, i % 8);
    simulation_.cut(*a_.session, i % 3);
    run_steps(simulation_, i / 8);
    simulation_.cut(*a_.session, 0, 9);
    simulation_.settle();
    ASSERT_TRUE(changed.done());
    ASSERT_TRUE(changed.result().has_value()) << name(changed.result().error());
    EXPECT_FALSE(writer.done());
    EXPECT_EQ(children(simulation_, "/lock").size(), 2U);
    a_.release(held);
    simulation_.run_until(writer);
    c_.release(*writer.result());
  }
}

// Another client has deleted the writer's znode, and the next writer holds: the reader must not
// appear.
TEST_F(ReadWriteLockTest, DowngradeOfADeletedWriterIsNoNode) {
  HeldLock held = a_.write();
  const Acquired writer = c_.wait_to_write();
  must(run_and_settle(remove(*b_.session, held.znode())), "remove");
  EXPECT_TRUE(writer.done());
  EXPECT_EQ(error_of(run_and_settle(a_.lock.downgrade(held))), Error::kNoNode);
  EXPECT_EQ(children(simulation_, "/lock").size(), 1U);
}

TEST_F(ReadWriteLockTest, DowngradeThatTimesOutLeavesTheWriteGrant) {
  HeldLock held = a_.write();
  disconnect(simulation_, *a_.session);
  const auto changed = simulation_.start(a_.lock.downgrade(held, simulation_.now() + 1s));
  simulation_.advance(1s);
  EXPECT_EQ(error_of(changed.result()), Error::kTimedOut);
  reconnect(simulation_, *a_.session);
  EXPECT_EQ(held.share(), Share::kExclusive);
  EXPECT_EQ(held.state(), LockState::kHeld);
  EXPECT_EQ(children(simulation_, "/lock").size(), 1U);
}

// There is nothing to delete.
TEST_F(ReadWriteLockTest, DowngradeThatHasCreatedNothingDeletesNothing) {
  HeldLock held = a_.write();
  const RequestCounter requests(simulation_);
  EXPECT_EQ(error_of(simulation_.run(a_.lock.downgrade(held, simulation_.now()))),
            Error::kTimedOut);
  simulation_.settle();
  EXPECT_EQ(requests.of(*a_.session), 0U);
  must(simulation_.run(remove(*b_.session, held.znode())), "remove");
  EXPECT_EQ(error_of(simulation_.run(a_.lock.downgrade(held))), Error::kNoNode);
  simulation_.settle();
  EXPECT_EQ(requests.of(*a_.session), 1U);
  EXPECT_EQ(requests.of(*a_.session, OpCode::kMulti), 1U);
}

// --------------------------------------------------------------------------------- upgrade

// The request is applied to the read grant's znode, and its event comes after the upgrade.
TEST_F(ReadWriteLockTest, ARequestToRevokeReachesTheUpgradedGrant) {
  LockOptions options;
  options.revocable = true;
  ReadWriteLock lock(*a_.session, "/lock", options);
  HeldLock held = must(simulation_.run(lock.acquire_read()), "acquire_read");
  HeldLock other = b_.read();
  const auto upgraded = start_and_settle(lock.upgrade(held));
  simulation_.hold_inbox(*a_.session);
  b_.release(other);
  must(simulation_.run(revoke(*c_.session, "/lock", kReadWriteMarks)), "revoke");
  let_go_and_settle(*a_.session);
  ASSERT_TRUE(upgraded.result().has_value());
  EXPECT_EQ(held.share(), Share::kExclusive);
  EXPECT_TRUE(held.revoked_token().stop_requested());
}

TEST_F(ReadWriteLockTest, TheObserverHearsThatAnUpgradeEndedWithItsSession) {
  HeldLock held = a_.read();
  const HeldLock other = b_.read();
  const auto upgraded = start_and_settle(a_.lock.upgrade(held));
  simulation_.kill(*a_.session);
  simulation_.run_until(upgraded);
  EXPECT_FALSE(upgraded.result().has_value());
  EXPECT_TRUE(a_.observer.calls().back().starts_with("gave up: "));
}

TEST_F(ReadWriteLockTest, UpgradeWaitsForTheOtherReaders) {
  HeldLock held = a_.read();
  HeldLock other = b_.read();
  const Path reader_znode = held.znode();
  const auto upgraded = start_and_settle(a_.lock.upgrade(held));
  EXPECT_FALSE(upgraded.done());
  const Acquired behind = c_.wait_to_read();
  EXPECT_FALSE(behind.done());
  b_.release(other);
  ASSERT_TRUE(upgraded.done());
  EXPECT_TRUE(upgraded.result().has_value());
  EXPECT_EQ(held.share(), Share::kExclusive);
  EXPECT_GT(held.fencing_token(), other.fencing_token());
  EXPECT_FALSE(simulation_.exists(reader_znode));
  EXPECT_FALSE(behind.done());
  a_.release(held);
  EXPECT_TRUE(behind.done());
}

TEST_F(ReadWriteLockTest, TryUpgradeDoesNotWaitForTheOtherReaders) {
  HeldLock held = a_.read();
  HeldLock other = b_.read();
  EXPECT_EQ(error_of(run_and_settle(a_.lock.try_upgrade(held))), Error::kConflict);
  EXPECT_EQ(held.share(), Share::kShared);
  EXPECT_EQ(children(simulation_, "/lock").size(), 2U);
  b_.release(other);
  EXPECT_TRUE(simulation_.run(a_.lock.try_upgrade(held)).has_value());
  EXPECT_EQ(held.share(), Share::kExclusive);
}

TEST_F(ReadWriteLockTest, TheSecondOfTwoUpgradersIsToldToGiveUp) {
  HeldLock first = a_.read();
  HeldLock second = b_.read();
  const auto first_upgrade = start_and_settle(a_.lock.upgrade(first));
  EXPECT_EQ(error_of(simulation_.run(b_.lock.upgrade(second))), Error::kConflict);
  EXPECT_EQ(second.state(), LockState::kHeld);
  EXPECT_EQ(second.share(), Share::kShared);
  EXPECT_FALSE(first_upgrade.done());
  b_.release(second);
  ASSERT_TRUE(first_upgrade.done());
  EXPECT_TRUE(first_upgrade.result().has_value());
  EXPECT_EQ(children(simulation_, "/lock").size(), 1U);
}

// Found by the mutation check: both waited forever for each other's read grant, because the second
// one could not see that there had been a first one.
TEST_F(ReadWriteLockTest, UpgraderWhoseWriterIsDeletedHearsOfItAndLetsTheNextOneUpgrade) {
  HeldLock first = a_.read();
  HeldLock second = b_.read();
  const auto first_upgrade = start_and_settle(a_.lock.upgrade(first));
  ASSERT_FALSE(first_upgrade.done());
  for (const std::string& name : children(simulation_, "/lock")) {
    if (name.find(kWriteMark) == std::string::npos) continue;
    must(simulation_.run(remove(*c_.session, Path("/lock") / name)), "remove");
  }
  simulation_.settle();
  ASSERT_TRUE(first_upgrade.done());
  EXPECT_EQ(error_of(first_upgrade.result()), Error::kNoNode);
  EXPECT_EQ(first.state(), LockState::kHeld);
  const auto second_upgrade = start_and_settle(b_.lock.upgrade(second));
  a_.release(first);
  ASSERT_TRUE(second_upgrade.done());
  EXPECT_TRUE(second_upgrade.result().has_value());
}

// Otherwise its writer would keep the later readers out until the earlier one leaves.
TEST_F(ReadWriteLockTest, UpgradeEndsWhenItsReadGrantIsLost) {
  const HeldLock other = b_.read();
  HeldLock held = a_.read();
  const auto upgraded = start_and_settle(a_.lock.upgrade(held));
  const Acquired later = c_.wait_to_read();
  EXPECT_FALSE(later.done());
  lose_contact(simulation_, *a_.session);
  ASSERT_TRUE(upgraded.done());
  EXPECT_EQ(error_of(upgraded.result()), Error::kContactLost);
  EXPECT_TRUE(later.done());
  EXPECT_EQ(other.state(), LockState::kHeld);
}

// An operator deletes the reader's znode, and a writer comes and goes, before the upgrade has its
// place: the client has not heard of the deletion when it sees that nobody is in front.
TEST_F(ReadWriteLockTest, UpgradeOfAReaderWhoseZnodeIsGoneFailsBeforeItHearsOfThat) {
  HeldLock held = a_.read();
  const Acquired other = b_.wait_to_write();
  simulation_.hold(*a_.session, OpCode::kCreate);
  simulation_.hold_inbox(*a_.session);
  const auto upgrading = start_and_settle(a_.lock.upgrade(held));
  must(run_and_settle(remove(*c_.session, held.znode())), "remove");
  ASSERT_TRUE(other.done());
  b_.release(*other.result());
  simulation_.let_go(*a_.session);
  simulation_.hold_inbox(*a_.session);
  simulation_.settle();
  let_go_and_settle(*a_.session);
  ASSERT_TRUE(upgrading.done());
  EXPECT_EQ(error_of(upgrading.result()), Error::kNoNode);
  EXPECT_EQ(held.state(), LockState::kLost);
  EXPECT_TRUE(children(simulation_, "/lock").empty());
}

TEST_F(ReadWriteLockTest, UpgradeInFrontOfAWaitingWriterIsAConflict) {
  HeldLock held = a_.read();
  const Acquired writer = b_.wait_to_write();
  EXPECT_EQ(error_of(simulation_.run(a_.lock.upgrade(held))), Error::kConflict);
  EXPECT_FALSE(writer.done());
  a_.release(held);
  EXPECT_TRUE(writer.done());
}

TEST_F(ReadWriteLockTest, UpgradeThatTimesOutLeavesTheReadGrantAndNoWriter) {
  HeldLock held = a_.read();
  const HeldLock other = b_.read();
  const auto upgraded = simulation_.start(a_.lock.upgrade(held, simulation_.now() + 1s));
  simulation_.advance(1s);
  EXPECT_EQ(error_of(upgraded.result()), Error::kTimedOut);
  EXPECT_EQ(held.state(), LockState::kHeld);
  EXPECT_EQ(children(simulation_, "/lock").size(), 2U);
  EXPECT_TRUE(c_.wait_to_read().done());
}

// The deletion of the first writer takes its time: its name is unknown, or the connection is lost.
TEST_F(ReadWriteLockTest, UpgradeAfterOneThatTimedOutDoesNotMeetItsAbandonedWriter) {
  HeldLock held = a_.read();
  simulation_.hold_inbox(*a_.session);
  const auto first = simulation_.start(a_.lock.upgrade(held, simulation_.now() + 1s));
  simulation_.advance(1s);
  EXPECT_EQ(error_of(first.result()), Error::kTimedOut);
  simulation_.let_go(*a_.session);
  must(simulation_.run(a_.lock.upgrade(held)), "upgrade");
  EXPECT_EQ(held.share(), Share::kExclusive);
  a_.release(held);
  EXPECT_TRUE(children(simulation_, "/lock").empty());
}

TEST_F(ReadWriteLockTest, UpgradeAfterOneThatTimedOutDuringAPartitionWaitsForItsWritersEnd) {
  HeldLock held = a_.read();
  HeldLock other = b_.read();
  const auto first = start_and_settle(a_.lock.upgrade(held, simulation_.now() + 1s));
  disconnect(simulation_, *a_.session);
  simulation_.advance(1s);
  EXPECT_EQ(error_of(first.result()), Error::kTimedOut);
  b_.release(other);
  EXPECT_EQ(error_of(simulation_.run(a_.lock.try_upgrade(held, simulation_.now() + 1s))),
            Error::kTimedOut);
  const auto again = simulation_.start(a_.lock.try_upgrade(held));
  reconnect(simulation_, *a_.session);
  simulation_.run_until(again);
  must(Result<void>(again.result()), "try_upgrade");
  a_.release(held);
  EXPECT_TRUE(children(simulation_, "/lock").empty());
}

TEST_F(ReadWriteLockTest, ChangingAGrantOfTheWrongKindIsRefused) {
  HeldLock reader = a_.read();
  ReadWriteLock elsewhere(*a_.session, "/other");
  EXPECT_EQ(error_of(simulation_.run(a_.lock.downgrade(reader))), Error::kBadArguments);
  EXPECT_EQ(error_of(simulation_.run(elsewhere.upgrade(reader))), Error::kBadArguments);
  a_.release(reader);
  EXPECT_EQ(error_of(simulation_.run(a_.lock.upgrade(reader))), Error::kBadArguments);
  HeldLock lost = b_.read();
  simulation_.kill(*b_.session);
  simulation_.settle();
  EXPECT_EQ(error_of(simulation_.run(b_.lock.upgrade(lost))), Error::kSessionExpired);
}

TEST_F(ReadWriteLockTest, QueueShowsHoldersAndWaiters) {
  const HeldLock first = a_.read();
  const HeldLock second = b_.read();
  const Acquired writer = c_.wait_to_write();
  const auto queue = must(simulation_.run(a_.lock.contenders()), "contenders");
  ASSERT_EQ(queue.size(), 3U);
  EXPECT_EQ(queue[0].znode, first.znode());
  EXPECT_EQ(queue[1].stat.ephemeral_owner, b_.session->id());
  EXPECT_EQ(queue[2].contender.share, Share::kExclusive);
  EXPECT_EQ((std::vector<bool>{queue[0].holds, queue[1].holds, queue[2].holds}),
            (std::vector<bool>{true, true, false}));
}

}  // namespace
}  // namespace lockstep
