#include "lockstep/recursive_read_write_lock.h"

#include <gtest/gtest.h>

#include <optional>

#include "lockstep/task_set.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

using Hold = RecursiveReadWriteLock::Hold;

class RecursiveReadWriteLockTest : public SimulatedSessionsTest {
 protected:
  Result<Hold> read(LockOwner owner) { return simulation_.run(lock_.acquire_read(owner)); }
  Result<Hold> write(LockOwner owner) { return simulation_.run(lock_.acquire_write(owner)); }
  ReleaseOutcome release(Hold& hold) {
    const ReleaseOutcome outcome = run_and_settle(hold.release());
    return outcome;
  }
  std::size_t contenders() { return children(simulation_, "/lock").size(); }

  RecursiveReadWriteLock lock_{*a_, "/lock"};
  ReadWriteLock of_others_{*b_, "/lock"};
  const int names_[2] = {};
  const LockOwner ann_{&names_[0]};
  const LockOwner bob_{&names_[1]};
};

TEST_F(RecursiveReadWriteLockTest, AWriterMayWriteAndReadInsideWithoutARequest) {
  Hold outer = must(write(ann_), "write");
  const RequestCounter requests(simulation_);
  Hold writer = must(write(ann_), "write again");
  Hold reader = must(read(ann_), "read inside");
  EXPECT_EQ(requests.total(), 0U);
  EXPECT_EQ(lock_.writers(ann_), 2U);
  EXPECT_EQ(lock_.readers(ann_), 1U);
  EXPECT_EQ(reader.share(), Share::kShared);
  EXPECT_EQ(reader.held().share(), Share::kExclusive);
  EXPECT_EQ(&reader.held(), &outer.held());
  EXPECT_EQ(release(reader), ReleaseOutcome::kReleased);
  EXPECT_EQ(release(writer), ReleaseOutcome::kReleased);
  EXPECT_EQ(contenders(), 1U);
  EXPECT_EQ(release(outer), ReleaseOutcome::kReleased);
  EXPECT_EQ(contenders(), 0U);
  EXPECT_EQ(lock_.writers(ann_), 0U);
}

TEST_F(RecursiveReadWriteLockTest, TheLastWriteHoldLeavesAReaderToTheReadHolds) {
  Hold writer = must(write(ann_), "write");
  Hold reader = must(read(ann_), "read");
  const auto other = start_and_settle(of_others_.acquire_read());
  EXPECT_FALSE(other.done());
  EXPECT_EQ(release(writer), ReleaseOutcome::kReleased);
  EXPECT_EQ(reader.held().share(), Share::kShared);
  EXPECT_TRUE(other.done());
  EXPECT_EQ(release(reader), ReleaseOutcome::kReleased);
  EXPECT_EQ(contenders(), 1U);
}

TEST_F(RecursiveReadWriteLockTest, AReaderUpgradesOnceTheOtherReadersHaveGone) {
  Hold reader = must(read(ann_), "read");
  HeldLock other = must(simulation_.run(of_others_.acquire_read()), "read beside");
  const auto upgrading = start_and_settle(lock_.acquire_write(ann_));
  EXPECT_FALSE(upgrading.done());
  EXPECT_EQ(error_of(read(ann_)), Error::kConflict);  // Ann's grant is being changed.
  EXPECT_EQ(run_and_settle(other.release()), ReleaseOutcome::kReleased);
  ASSERT_TRUE(upgrading.done());
  Hold writer = must(std::move(upgrading.result()), "upgrade");
  EXPECT_EQ(reader.held().share(), Share::kExclusive);
  EXPECT_EQ(release(writer), ReleaseOutcome::kReleased);
  EXPECT_EQ(reader.held().share(), Share::kShared);
  EXPECT_EQ(release(reader), ReleaseOutcome::kReleased);
  EXPECT_EQ(contenders(), 0U);
}

TEST_F(RecursiveReadWriteLockTest, TryAcquireDoesNotWait) {
  HeldLock other = must(simulation_.run(of_others_.acquire_read()), "read");
  EXPECT_EQ(error_of(simulation_.run(lock_.try_acquire_write(ann_))), Error::kConflict);
  Hold reader = must(simulation_.run(lock_.try_acquire_read(ann_)), "read");
  EXPECT_EQ(error_of(simulation_.run(lock_.try_acquire_write(ann_))), Error::kConflict);
  EXPECT_EQ(lock_.readers(ann_), 1U);
  EXPECT_EQ(simulation_.run(other.release()), ReleaseOutcome::kReleased);
  Hold writer = must(simulation_.run(lock_.try_acquire_write(ann_)), "write");
  EXPECT_EQ(reader.held().share(), Share::kExclusive);
  EXPECT_EQ(error_of(simulation_.run(lock_.try_acquire_read(bob_))), Error::kConflict);
  EXPECT_EQ(release(writer), ReleaseOutcome::kReleased);
  EXPECT_EQ(release(reader), ReleaseOutcome::kReleased);
  simulation_.settle();
  EXPECT_EQ(contenders(), 0U);
}

TEST_F(RecursiveReadWriteLockTest, ATryWithADurationWaitsForTheServersNoLonger) {
  simulation_.hold(*a_, OpCode::kCreate);
  const TimePoint start = simulation_.now();
  EXPECT_EQ(error_of(simulation_.run(lock_.try_acquire_read(ann_, 2s))), Error::kTimedOut);
  EXPECT_EQ(error_of(simulation_.run(lock_.try_acquire_write(ann_, 3s))), Error::kTimedOut);
  EXPECT_EQ(simulation_.now(), start + 5s);
}

TEST_F(RecursiveReadWriteLockTest, AnUpgradeThatWouldWaitForAWriterConflictsAndKeepsTheReader) {
  Hold reader = must(read(ann_), "read");
  const auto writer = start_and_settle(of_others_.acquire_write());
  EXPECT_EQ(error_of(write(ann_)), Error::kConflict);
  EXPECT_EQ(lock_.readers(ann_), 1U);
  EXPECT_EQ(lock_.writers(ann_), 0U);
  EXPECT_EQ(reader.held().state(), LockState::kHeld);
  EXPECT_FALSE(writer.done());
  EXPECT_EQ(release(reader), ReleaseOutcome::kReleased);
  EXPECT_TRUE(writer.done());
}

TEST_F(RecursiveReadWriteLockTest, OneOfTwoUpgradingOwnersConflicts) {
  Hold anns = must(read(ann_), "read");
  Hold bobs = must(read(bob_), "read");
  const auto first = start_and_settle(lock_.acquire_write(ann_));
  EXPECT_EQ(error_of(write(bob_)), Error::kConflict);
  EXPECT_EQ(release(bobs), ReleaseOutcome::kReleased);
  ASSERT_TRUE(first.done());
  EXPECT_TRUE(first.result().has_value());
}

TEST_F(RecursiveReadWriteLockTest, ALostLockIsNotEnteredAgainUntilEveryHoldIsReleased) {
  Hold writer = must(write(ann_), "write");
  Hold reader = must(read(ann_), "read");
  simulation_.expire(*a_);
  reconnect(simulation_, *a_);
  EXPECT_TRUE(writer.held().cause().has_value());
  EXPECT_EQ(error_of(write(ann_)), *writer.held().cause());
  EXPECT_EQ(error_of(read(ann_)), *writer.held().cause());
  EXPECT_EQ(release(writer), ReleaseOutcome::kAlreadyLost);
  EXPECT_EQ(error_of(read(ann_)), *reader.held().cause());
  EXPECT_EQ(release(reader), ReleaseOutcome::kAlreadyLost);
  // The session's error: there is no hold.
  EXPECT_EQ(error_of(read(ann_)), Error::kSessionExpired);
}

TEST_F(RecursiveReadWriteLockTest, OwnersExcludeEachOther) {
  Hold anns = must(write(ann_), "write");
  const auto bobs = start_and_settle(lock_.acquire_read(bob_));
  EXPECT_FALSE(bobs.done());
  EXPECT_EQ(error_of(simulation_.run(lock_.acquire_write(bob_))), Error::kConflict);
  EXPECT_EQ(release(anns), ReleaseOutcome::kReleased);
  EXPECT_TRUE(bobs.done());
}

TEST_F(RecursiveReadWriteLockTest, DestroyedHoldsLeaveInTheBackground) {
  {
    const Hold reader = must(read(ann_), "read");
    {
      const Hold writer = must(write(ann_), "upgrade");
      EXPECT_EQ(lock_.writers(ann_), 1U);
    }
    EXPECT_EQ(lock_.writers(ann_), 0U);
    // A destructor does not wait for the downgrade.
    EXPECT_EQ(reader.held().share(), Share::kExclusive);
    const Hold again = must(write(ann_), "write");
  }
  simulation_.settle();
  EXPECT_EQ(contenders(), 0U);
}

TEST_F(RecursiveReadWriteLockTest, HoldsThatLeaveDuringAnUpgradeReleaseTheLockAtItsEnd) {
  std::optional<Hold> reader = must(read(ann_), "read");
  const HeldLock other = must(simulation_.run(of_others_.acquire_read()), "read beside");
  TaskSet tasks;
  tasks.spawn(ignore(lock_.acquire_write(ann_)));
  simulation_.settle();
  reader.reset();
  simulation_.settle();
  EXPECT_EQ(contenders(), 3U);  // Two are Ann's: a reader and a writer.
  tasks.clear();
  simulation_.settle();
  EXPECT_EQ(contenders(), 1U);
  EXPECT_EQ(lock_.readers(ann_), 0U);
}

TEST_F(RecursiveReadWriteLockTest, OnlyTheLastWriteHoldDowngrades) {
  Hold writer = must(write(ann_), "write");
  Hold outer = must(read(ann_), "read");
  Hold inner = must(read(ann_), "read again");
  const Context over(simulation_.now());
  EXPECT_EQ(simulation_.run(writer.release(over)), ReleaseOutcome::kUnknown);
  const RequestCounter requests(simulation_);
  EXPECT_EQ(simulation_.run(inner.release(over)), ReleaseOutcome::kReleased);
  EXPECT_EQ(requests.total(), 0U);
  EXPECT_EQ(outer.held().share(), Share::kExclusive);
}

TEST_F(RecursiveReadWriteLockTest, ADowngradeThatRunsOutOfTimeLeavesAWriter) {
  Hold writer = must(write(ann_), "write");
  Hold reader = must(read(ann_), "read");
  EXPECT_EQ(simulation_.run(writer.release(Context(simulation_.now()))), ReleaseOutcome::kUnknown);
  EXPECT_EQ(reader.held().share(), Share::kExclusive);
  EXPECT_EQ(lock_.writers(ann_), 0U);
  EXPECT_EQ(release(reader), ReleaseOutcome::kReleased);
  EXPECT_EQ(contenders(), 0U);
}

TEST_F(RecursiveReadWriteLockTest, ADowngradeThatFindsItsWriterDeletedIsALoss) {
  Hold writer = must(write(ann_), "write");
  Hold reader = must(read(ann_), "read");
  must(run_and_settle(remove(*b_, writer.held().znode())), "remove");
  EXPECT_EQ(reader.held().state(), LockState::kHeld);  // Nobody has asked for the loss.
  EXPECT_EQ(release(writer), ReleaseOutcome::kAlreadyLost);
  EXPECT_EQ(reader.held().state(), LockState::kLost);
  EXPECT_EQ(error_of(read(ann_)), Error::kNoNode);
  EXPECT_EQ(release(reader), ReleaseOutcome::kAlreadyLost);
}

}  // namespace
}  // namespace lockstep
