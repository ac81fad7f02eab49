#include "lockstep/fakezk/oracles/lock_oracles.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "lockstep/fair_mutex.h"
#include "lockstep/fake/hunt.h"
#include "lockstep/fake/simulation.h"
#include "lockstep/guaranteed_remove.h"
#include "lockstep/protected_create.h"
#include "lockstep/sequence.h"

namespace lockstep {
namespace {

using fake::HuntReport;
using fake::HuntSettings;
using fake::Simulation;
using fakezk::FaultPlan;
using fakezk::LockOracles;
using fakezk::Verdict;

// What the broken locks below have in common.
class BrokenMutex {
 public:
  BrokenMutex(Session& session, Path lock, LockObserver* observer)
      : session_(session), lock_(std::move(lock)), observer_(observer) {}

 protected:
  Task<Result<Created>> take_place() {
    return protected_create(session_, lock_, std::string(kLockMark), Data(), Context());
  }
  HeldLock grant(const Created& ours, Zxid evidence) {
    GrantRecord record(session_.id(), lock_, ours.path, ours.stat.czxid, evidence);
    return {session_, std::move(record), observer_};
  }

  Session& session_;
  Path lock_;
  LockObserver* observer_;
};

// Does not look who is in front.
class GrabsAtOnce : public BrokenMutex {
 public:
  using BrokenMutex::BrokenMutex;
  Task<Result<HeldLock>> acquire() {
    const Created ours = co_await ok(take_place());
    co_return grant(ours, ours.stat.czxid);
  }
};

// Gives up when it is not the first, and leaves its znode behind.
class ForgetsItsPlace : public BrokenMutex {
 public:
  using BrokenMutex::BrokenMutex;
  Task<Result<HeldLock>> acquire() {
    const Created ours = co_await ok(take_place());
    const Children queue = co_await ok(session_.get_children(lock_));
    const Position position = co_await ok(position_of(ours.path.name(), kLockMark, queue));
    if (position.ahead > 0) co_return failure(Error::kTimedOut);
    co_return grant(ours, queue.parent().pzxid);
  }
};

// Makes room for itself.
class DeletesWhoIsAhead : public BrokenMutex {
 public:
  using BrokenMutex::BrokenMutex;
  Task<Result<HeldLock>> acquire() {
    const Created ours = co_await ok(take_place());
    for (;;) {
      const Children queue = co_await ok(session_.get_children(lock_));
      const Position position = co_await ok(position_of(ours.path.name(), kLockMark, queue));
      if (position.ahead == 0) co_return grant(ours, queue.parent().pzxid);
      static_cast<void>(co_await session_.remove(lock_ / position.predecessor));
    }
  }
};

class Throws : public BrokenMutex {
 public:
  using BrokenMutex::BrokenMutex;
  Task<Result<HeldLock>> acquire() {
    const Created ours = co_await ok(take_place());
    throw std::runtime_error("the user's own bug at " + ours.path.string());
  }
};

class NeverStopsAsking : public BrokenMutex {
 public:
  using BrokenMutex::BrokenMutex;
  Task<Result<HeldLock>> acquire() {
    for (;;) static_cast<void>(co_await session_.sync(lock_));
  }
};

template <class Mutex>
std::string broken_guarantee() {
  HuntSettings settings;
  settings.faults = FaultPlan();
  settings.executions = 200;
  const HuntReport report = fake::hunt_lock("broken", &fake::contend_for<Mutex>, settings);
  return report.passed() ? "none" : report.failure->violation.oracle;
}

TEST(LockOraclesTest, GrantingWithoutWaitingBreaksExclusion) {
  EXPECT_EQ(broken_guarantee<GrabsAtOnce>(), "S1");
}
TEST(LockOraclesTest, ForgettingAPlaceLeavesAnOrphan) {
  EXPECT_EQ(broken_guarantee<ForgetsItsPlace>(), "S5");
}
TEST(LockOraclesTest, DeletingAnotherSessionsPlaceIsAStaleAction) {
  EXPECT_EQ(broken_guarantee<DeletesWhoIsAhead>(), "S4");
}
TEST(LockOraclesTest, AnExceptionIsACrashAndItsTextIsKept) {
  const HuntReport report = fake::hunt_lock("throws", &fake::contend_for<Throws>);
  ASSERT_FALSE(report.passed());
  EXPECT_EQ(report.failure->violation.oracle, "crash");
  EXPECT_NE(report.text().find("the user's own bug at /lock/"), std::string::npos);
}
TEST(LockOraclesTest, AskingForEverIsALivelock) {
  EXPECT_EQ(broken_guarantee<NeverStopsAsking>(), "livelock");
}
TEST(LockOraclesTest, TheFairMutexBreaksNothing) {
  EXPECT_EQ(broken_guarantee<FairMutex>(), "none");
}

// The oracles fed by hand, over what a simulated server has really committed.
class ScriptedOraclesTest : public ::testing::Test {
 protected:
  ScriptedOraclesTest() {
    oracles_.begin(simulation_.world(), verdict_);
    create("/lock", CreateMode::kPersistent);
  }
  Created create(const Path& path, CreateMode mode = CreateMode::kEphemeral) {
    return *simulation_.run(created(*session_, path, mode));
  }
  void remove(const Path& path) {
    remove_guaranteed(*session_, path);
    simulation_.settle();
  }
  [[nodiscard]] Zxid now() { return simulation_.world().server().last_zxid(); }
  [[nodiscard]] GrantRecord grant(const Created& znode, Zxid evidence) {
    return {session_->id(), "/lock", znode.path, znode.stat.czxid, evidence};
  }
  [[nodiscard]] std::string broken() const {
    return verdict_.violation() ? verdict_.violation()->oracle : "none";
  }

  Simulation simulation_;
  std::shared_ptr<fake::FakeSession> session_ = simulation_.open("A");
  Verdict verdict_;
  LockOracles oracles_{kLockMark};

 private:
  static Task<Result<Created>> created(Session& session, Path path, CreateMode mode) {
    co_return co_await session.create(path, Data(), mode);
  }
};

TEST_F(ScriptedOraclesTest, ALowerNumberThatCameLaterHasTheHigherToken) {
  const Created late_number = create("/lock/x-lock-0000000005");
  const Created early_number = create("/lock/y-lock-0000000001");
  oracles_.granted(grant(early_number, now()));
  remove(early_number.path);
  EXPECT_EQ(broken(), "none");
  oracles_.granted(grant(late_number, now()));
  EXPECT_EQ(broken(), "S3");
}

TEST_F(ScriptedOraclesTest, AGrantWhoseTokenIsNotItsZnodesIsNoGrant) {
  const Created znode = create("/lock/x-lock-0000000000");
  oracles_.granted(GrantRecord(session_->id(), "/lock", znode.path, znode.stat.czxid - 1, now()));
  EXPECT_EQ(broken(), "S1");
}

TEST_F(ScriptedOraclesTest, AGrantCannotRestOnTheTimeBeforeItsZnode) {
  const Created znode = create("/lock/x-lock-0000000000");
  oracles_.granted(grant(znode, znode.stat.czxid - 1));
  EXPECT_EQ(broken(), "S1");
}

TEST_F(ScriptedOraclesTest, OneZnodeIsGrantedOnce) {
  const Created znode = create("/lock/x-lock-0000000000");
  oracles_.granted(grant(znode, now()));
  EXPECT_EQ(broken(), "none");
  oracles_.granted(grant(znode, now()));
  EXPECT_EQ(broken(), "S1");
}

// A client may learn late of a grant that was over before; a hunt of fair-mutex with kill-session
// once made the oracle itself complain.
TEST_F(ScriptedOraclesTest, TokensAreOrderedByTheirEvidenceNotByWhenTheClientLearns) {
  const Created first = create("/lock/x-lock-0000000000");
  const Zxid evidence_of_first = now();
  const Created second = create("/lock/y-lock-0000000001");
  remove(first.path);
  oracles_.granted(grant(second, now()));
  oracles_.granted(grant(first, evidence_of_first));
  EXPECT_EQ(broken(), "none");
}

TEST_F(ScriptedOraclesTest, ALossIsReportedOnce) {
  const Created znode = create("/lock/x-lock-0000000000");
  oracles_.granted(grant(znode, now()));
  oracles_.lost(grant(znode, now()), Error::kSessionExpired);
  EXPECT_EQ(broken(), "none");
  oracles_.lost(grant(znode, now()), Error::kSessionExpired);
  EXPECT_EQ(broken(), "R1");
}

TEST_F(ScriptedOraclesTest, NothingIsLostAfterItsRelease) {
  const Created znode = create("/lock/x-lock-0000000000");
  oracles_.granted(grant(znode, now()));
  remove(znode.path);
  oracles_.released(grant(znode, now()), ReleaseOutcome::kReleased);
  EXPECT_EQ(broken(), "none");
  oracles_.lost(grant(znode, now()), Error::kSessionExpired);
  EXPECT_EQ(broken(), "R1");
}

TEST_F(ScriptedOraclesTest, WhatWasReleasedIsGone) {
  const Created znode = create("/lock/x-lock-0000000000");
  oracles_.granted(grant(znode, now()));
  oracles_.released(grant(znode, now()), ReleaseOutcome::kReleased);
  EXPECT_EQ(broken(), "R2");
}

TEST_F(ScriptedOraclesTest, EveryReleaseTellsTheSame) {
  oracles_.released_again("/lock/x", ReleaseOutcome::kReleased, ReleaseOutcome::kReleased);
  EXPECT_EQ(broken(), "none");
  oracles_.released_again("/lock/x", ReleaseOutcome::kReleased, ReleaseOutcome::kAlreadyLost);
  EXPECT_EQ(broken(), "R2");
}

TEST_F(ScriptedOraclesTest, OfOneStepTheFirstGuaranteeInOrderIsReported) {
  verdict_.report("R2", "later in the order", 3);
  verdict_.report("S1", "first in the order", 3);
  verdict_.report("L1", "in between", 3);
  EXPECT_EQ(broken(), "S1");
  verdict_.report("S1", "a later step does not count", 4);
  EXPECT_EQ(verdict_.violation()->step, 3U);
}

}  // namespace
}  // namespace lockstep
