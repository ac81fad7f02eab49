#include "lockstep/held_lock.h"

#include <gtest/gtest.h>

#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "lockstep/fair_mutex.h"
#include "lockstep/task_set.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

class HeldLockTest : public SimulatedTest {
 protected:
  HeldLock acquire() {
    FairMutex mutex(*session_, "/lock", &observer_);
    return must(simulation_.run(mutex.acquire()), "acquire");
  }
  // The observer's calls since the grant.
  Calls told() const {
    Calls calls = observer_.calls();
    while (!calls.empty() && calls.front() != "granted") calls.erase(calls.begin());
    if (!calls.empty()) calls.erase(calls.begin());
    return calls;
  }
  void expire() {
    disconnect(simulation_, *session_);
    simulation_.kill(*session_);  // Before the session's own clock notices.
    simulation_.settle();
    reconnect(simulation_, *session_);
  }

  // Time in which messages travel.
  void pass(Duration duration) {
    constexpr int kParts = 48;
    for (int i = 0; i < kParts; ++i) simulation_.advance(duration / kParts);
  }

  RecordingObserver observer_;
  const std::shared_ptr<FakeSession> session_ = simulation_.open("A");
};

TEST_F(HeldLockTest, HoldsItsZnodeUnderItsCzxid) {
  const HeldLock held = acquire();
  const fakezk::Znode* const own = znode(simulation_, held.znode());
  ASSERT_NE(own, nullptr);
  EXPECT_EQ(held.fencing_token(), own->czxid);
  EXPECT_EQ(own->ephemeral_owner, session_->id());
  EXPECT_EQ(held.state(), LockState::kHeld);
  EXPECT_EQ(held.cause(), std::nullopt);
  EXPECT_FALSE(held.lost_token().stop_requested());
}

TEST_F(HeldLockTest, ReleaseDeletesTheZnodeAndIsNoLoss) {
  HeldLock held = acquire();
  const std::stop_token lost = held.lost_token();
  EXPECT_EQ(simulation_.run(held.release()), ReleaseOutcome::kReleased);
  EXPECT_FALSE(simulation_.exists(held.znode()));
  EXPECT_EQ(held.state(), LockState::kReleased);
  EXPECT_EQ(held.cause(), std::nullopt);
  expire();
  EXPECT_FALSE(lost.stop_requested());
  EXPECT_EQ(held.state(), LockState::kReleased);
  EXPECT_EQ(told(), Calls{"released: released"});
}

TEST_F(HeldLockTest, EveryReleaseReturnsTheSameOutcome) {
  HeldLock held = acquire();
  EXPECT_EQ(simulation_.run(held.release()), ReleaseOutcome::kReleased);
  const RequestCounter requests(simulation_);
  EXPECT_EQ(simulation_.run(held.release()), ReleaseOutcome::kReleased);
  EXPECT_EQ(simulation_.run(held.release(simulation_.now())), ReleaseOutcome::kReleased);
  EXPECT_EQ(requests.total(), 0U);
  EXPECT_EQ(told(), Calls{"released: released"});
}

TEST_F(HeldLockTest, ConcurrentReleasesReturnTheSameOutcome) {
  HeldLock held = acquire();
  const auto first = simulation_.start(held.release());
  const auto second = start_and_settle(held.release());
  EXPECT_EQ(first.result(), ReleaseOutcome::kReleased);
  EXPECT_EQ(second.result(), ReleaseOutcome::kReleased);
  EXPECT_EQ(simulation_.run(held.release()), ReleaseOutcome::kReleased);
  EXPECT_EQ(told(), Calls{"released: released"});
}

// ------------------------------------------------------------- handed off

TEST_F(HeldLockTest, HandedOffReleaseIsSentAtOnceAndReportsItsOutcomeLater) {
  const PendingRelease pending = release_in_background(*session_, acquire());
  EXPECT_EQ(pending.outcome(), std::nullopt);
  const RequestCounter requests(simulation_);
  EXPECT_EQ(*simulation_.run(pending.wait()), ReleaseOutcome::kReleased);
  EXPECT_EQ(requests.total(), 1U);
  EXPECT_EQ(pending.outcome(), ReleaseOutcome::kReleased);
  EXPECT_EQ(*simulation_.run(pending.wait()), ReleaseOutcome::kReleased);
  EXPECT_EQ(told(), Calls{"released: released"});
}

TEST_F(HeldLockTest, HandedOffReleaseGoesOnWhenNoCallerWaits) {
  HeldLock held = acquire();
  const Path znode = held.znode();
  release_in_background(*session_, std::move(held));
  simulation_.settle();
  EXPECT_FALSE(simulation_.exists(znode));
  EXPECT_EQ(told(), Calls{"released: released"});
}

TEST_F(HeldLockTest, EndOfTheWaitForAHandedOffReleaseDoesNotEndIt) {
  const PendingRelease pending = release_in_background(*session_, acquire());
  const Context at_once(simulation_.now());
  EXPECT_EQ(error_of(simulation_.run(pending.wait(at_once))), Error::kTimedOut);
  EXPECT_EQ(*simulation_.run(pending.wait()), ReleaseOutcome::kReleased);
}

TEST_F(HeldLockTest, HandedOffReleaseSurvivesAConnectionLoss) {
  const PendingRelease pending = release_in_background(*session_, acquire());
  simulation_.cut(*session_, 1);
  EXPECT_EQ(*simulation_.run(pending.wait()), ReleaseOutcome::kReleased);
}

TEST_F(HeldLockTest, HandedOffReleaseFindsThatTheSessionIsOver) {
  HeldLock held = acquire();
  disconnect(simulation_, *session_);
  const PendingRelease pending = release_in_background(*session_, std::move(held));
  simulation_.kill(*session_);
  reconnect(simulation_, *session_);
  EXPECT_EQ(*simulation_.run(pending.wait()), ReleaseOutcome::kAlreadyLost);
}

TEST_F(HeldLockTest, HandedOffReleaseIsUnknownOnceItsSessionIsDestroyed) {
  auto session = simulation_.open("B");
  Result<HeldLock> held = simulation_.run(FairMutex(*session, "/other").acquire());
  const PendingRelease pending = release_in_background(*session, std::move(*held));
  held = failure(Error::kClosing);
  session.reset();
  simulation_.client("B").let_go();
  EXPECT_EQ(pending.outcome(), ReleaseOutcome::kUnknown);
}

TEST_F(HeldLockTest, ReleaseWhoseReplyIsLostIsReleased) {
  HeldLock held = acquire();
  const auto released = simulation_.start(held.release());
  simulation_.cut(*session_, 1);
  EXPECT_FALSE(simulation_.exists(held.znode()));
  simulation_.run_until(released);
  EXPECT_EQ(released.result(), ReleaseOutcome::kReleased);
}

TEST_F(HeldLockTest, ReleaseSucceedsWhereverTwoCutsFall) {
  for (int first = 0; first < 6; ++first) {
    for (int second = 0; second < 6; ++second) {
      SCOPED_TRACE(testing::Message() << first << ' ' << second);
      HeldLock held = acquire();
      const auto released = simulation_.start(held.release());
      for (const int steps : {first, second}) {
        run_steps(simulation_, steps);
        simulation_.cut(*session_);
      }
      simulation_.run_until(released);
      EXPECT_EQ(released.result(), ReleaseOutcome::kReleased);
      EXPECT_FALSE(simulation_.exists(held.znode()));
    }
  }
}

TEST_F(HeldLockTest, ReleaseOfAZnodeThatWasDeletedIsAlreadyLost) {
  HeldLock held = acquire();
  const auto other = simulation_.open("other");
  must(simulation_.run(remove(*other, held.znode())), "remove");
  const std::stop_token lost = held.lost_token();
  EXPECT_EQ(simulation_.run(held.release()), ReleaseOutcome::kAlreadyLost);
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_EQ(held.state(), LockState::kLost);
  EXPECT_EQ(held.cause(), Error::kNoNode);
  EXPECT_EQ(told(), (Calls{"lost: no node", "released: already lost"}));
}

TEST_F(HeldLockTest, ReleaseAfterTheLossSendsNothing) {
  HeldLock held = acquire();
  expire();
  const RequestCounter requests(simulation_);
  EXPECT_EQ(simulation_.run(held.release()), ReleaseOutcome::kAlreadyLost);
  EXPECT_EQ(simulation_.run(held.release()), ReleaseOutcome::kAlreadyLost);
  EXPECT_EQ(requests.total(), 0U);
  EXPECT_EQ(held.state(), LockState::kLost);
  EXPECT_EQ(told(), (Calls{"lost: session expired", "released: already lost"}));
}

TEST_F(HeldLockTest, ReleaseWithAnEndedContextGoesOnInTheBackground) {
  HeldLock held = acquire();
  EXPECT_EQ(run_and_settle(held.release(simulation_.now())), ReleaseOutcome::kUnknown);
  EXPECT_FALSE(simulation_.exists(held.znode()));
  EXPECT_EQ(simulation_.run(held.release()), ReleaseOutcome::kUnknown);
  EXPECT_EQ(told(), Calls{"released: unknown"});
}

TEST_F(HeldLockTest, ReleaseWhileDisconnectedEndsAtItsDeadlineAndDeletesLater) {
  HeldLock held = acquire();
  disconnect(simulation_, *session_);
  const TimePoint deadline = simulation_.now() + 4s;
  const auto released = simulation_.start(held.release(deadline));
  simulation_.advance(4s - 1ns);
  EXPECT_FALSE(released.done());
  simulation_.advance(1ns);
  EXPECT_EQ(released.result(), ReleaseOutcome::kUnknown);
  EXPECT_TRUE(simulation_.exists(held.znode()));
  reconnect(simulation_, *session_);
  EXPECT_FALSE(simulation_.exists(held.znode()));
}

TEST_F(HeldLockTest, EndOfTheSessionDuringTheReleaseIsALossBeforeItsOutcome) {
  HeldLock held = acquire();
  const std::stop_token lost = held.lost_token();
  const auto released = simulation_.start(held.release());
  expire();
  EXPECT_EQ(released.result(), ReleaseOutcome::kAlreadyLost);
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_EQ(held.state(), LockState::kLost);
  EXPECT_EQ(told(), (Calls{"lost: session expired", "released: already lost"}));
}

TEST_F(HeldLockTest, DestroyingItReleasesInTheBackground) {
  std::optional<HeldLock> held = acquire();
  const Path znode = held->znode();
  held.reset();
  simulation_.settle();
  EXPECT_FALSE(simulation_.exists(znode));
  EXPECT_TRUE(told().empty());
}

TEST_F(HeldLockTest, DestroyingItWhileDisconnectedDeletesAfterwards) {
  std::optional<HeldLock> held = acquire();
  const Path znode = held->znode();
  disconnect(simulation_, *session_);
  held.reset();
  simulation_.advance(2s);
  EXPECT_TRUE(simulation_.exists(znode));
  reconnect(simulation_, *session_);
  EXPECT_FALSE(simulation_.exists(znode));
}

TEST_F(HeldLockTest, DestroyingItAfterTheReleaseSendsNothing) {
  std::optional<HeldLock> held = acquire();
  EXPECT_EQ(simulation_.run(held->release()), ReleaseOutcome::kReleased);
  const RequestCounter requests(simulation_);
  held.reset();
  simulation_.settle();
  EXPECT_EQ(requests.total(), 0U);
}

Task<void> release_and_forget(HeldLock held) { static_cast<void>(co_await held.release()); }

// The delete was sent, but only the guard repeats it if it is lost.
TEST_F(HeldLockTest, LockDestroyedDuringItsReleaseIsDeleted) {
  HeldLock held = acquire();
  const Path znode = held.znode();
  TaskSet tasks;
  tasks.spawn(release_and_forget(std::move(held)));
  tasks.clear();
  simulation_.cut(*session_);
  simulation_.settle();
  EXPECT_FALSE(simulation_.exists(znode));
  EXPECT_TRUE(session_->background().empty());
}

TEST_F(HeldLockTest, IsSuspectWhileDisconnectedAndHeldAfterwards) {
  const HeldLock held = acquire();
  const std::stop_token lost = held.lost_token();
  for (int round = 0; round < 3; ++round) {
    disconnect(simulation_, *session_);
    EXPECT_EQ(held.state(), LockState::kSuspect);
    EXPECT_EQ(held.cause(), std::nullopt);
    reconnect(simulation_, *session_);
    EXPECT_EQ(held.state(), LockState::kHeld);
  }
  EXPECT_FALSE(lost.stop_requested());
  EXPECT_TRUE(told().empty());
}

TEST_F(HeldLockTest, ExpiryIsReportedOnceWithItsCause) {
  const HeldLock held = acquire();
  const std::stop_token before = held.lost_token();
  int stops = 0;
  const std::stop_callback count(before, [&] { ++stops; });
  expire();
  EXPECT_EQ(held.state(), LockState::kLost);
  EXPECT_EQ(held.cause(), Error::kSessionExpired);
  EXPECT_TRUE(before.stop_requested());
  EXPECT_TRUE(held.lost_token().stop_requested());
  EXPECT_EQ(stops, 1);
  EXPECT_EQ(told(), Calls{"lost: session expired"});
}

TEST_F(HeldLockTest, TokenAskedForAfterTheLossIsStopped) {
  const HeldLock held = acquire();
  expire();
  EXPECT_TRUE(held.lost_token().stop_requested());
}

TEST_F(HeldLockTest, ClosingTheSessionIsALossToo) {
  const HeldLock held = acquire();
  const std::stop_token lost = held.lost_token();
  must(simulation_.run(close(*session_)), "close");
  EXPECT_EQ(held.state(), LockState::kLost);
  EXPECT_EQ(held.cause(), Error::kClosing);
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_EQ(told(), Calls{"lost: closing"});
}

TEST_F(HeldLockTest, GrantOfAnEndedSessionIsLostFromTheStart) {
  must(simulation_.run(close(*session_)), "close");
  const HeldLock held(*session_, GrantRecord(session_->id(), "/lock", "/lock/x", 1, 1), &observer_);
  EXPECT_EQ(held.state(), LockState::kLost);
  EXPECT_EQ(held.cause(), Error::kClosing);
  EXPECT_EQ(observer_.calls(), (Calls{"granted", "lost: closing"}));
}

TEST_F(HeldLockTest, GrantThatComesWhileSuspendedIsSuspect) {
  disconnect(simulation_, *session_);
  const HeldLock held(*session_, GrantRecord(session_->id(), "/lock", "/lock/x", 1, 1), &observer_);
  EXPECT_EQ(held.state(), LockState::kSuspect);
  reconnect(simulation_, *session_);
  EXPECT_EQ(held.state(), LockState::kHeld);
}

TEST_F(HeldLockTest, MovedLockKeepsItsStateAndItsToken) {
  HeldLock first = acquire();
  const std::stop_token token = first.lost_token();
  const Path path = first.znode();
  const HeldLock second = std::move(first);
  EXPECT_EQ(second.znode(), path);
  expire();
  EXPECT_EQ(second.state(), LockState::kLost);
  EXPECT_TRUE(token.stop_requested());
  EXPECT_EQ(told(), Calls{"lost: session expired"});
}

TEST_F(HeldLockTest, AssigningOverAHeldLockReleasesIt) {
  HeldLock first = acquire();
  const Path overwritten = first.znode();
  FairMutex elsewhere(*session_, "/elsewhere");
  first = must(simulation_.run(elsewhere.acquire()), "acquire");
  simulation_.settle();
  EXPECT_FALSE(simulation_.exists(overwritten));
  EXPECT_TRUE(simulation_.exists(first.znode()));
  EXPECT_EQ(first.state(), LockState::kHeld);
}

// The callback of a loss may destroy the lock at once.
TEST_F(HeldLockTest, LossMayDestroyTheLock) {
  std::optional<HeldLock> held = acquire();
  const std::stop_callback drop(held->lost_token(), [&] { held.reset(); });
  expire();
  EXPECT_FALSE(held.has_value());
  EXPECT_EQ(told(), Calls{"lost: session expired"});
}

// ------------------------------------------------------------- what is watched on request

TEST_F(HeldLockTest, NothingIsWatchedUnlessAskedFor) {
  const RequestCounter requests(simulation_);
  HeldLock held = acquire();
  simulation_.advance(1h);
  EXPECT_EQ(requests.of(*session_, OpCode::kGetData), 0U);
  EXPECT_EQ(held.revoked_token().stop_requested(), false);
}

TEST_F(HeldLockTest, DeletionByAnotherClientIsALossForAHolderThatAsksForTheToken) {
  HeldLock held = acquire();
  const std::stop_token lost = held.lost_token();
  static_cast<void>(held.lost_token());
  const RequestCounter requests(simulation_);
  simulation_.settle();
  EXPECT_EQ(requests.total(), 1U);
  const auto other = simulation_.open("other");
  must(run_and_settle(remove(*other, held.znode())), "remove");
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_EQ(held.state(), LockState::kLost);
  EXPECT_EQ(held.cause(), Error::kNoNode);
  EXPECT_EQ(simulation_.run(held.release()), ReleaseOutcome::kAlreadyLost);
  expire();
  EXPECT_EQ(told(), (Calls{"lost: no node", "released: already lost"}));
}

TEST_F(HeldLockTest, DeletionBeforeTheTokenIsAskedForIsNoticedToo) {
  HeldLock held = acquire();
  const auto other = simulation_.open("other");
  must(simulation_.run(remove(*other, held.znode())), "remove");
  const std::stop_token lost = held.lost_token();
  simulation_.settle();
  EXPECT_TRUE(lost.stop_requested());
}

TEST_F(HeldLockTest, DeletionDuringAReconnectIsNoticed) {
  HeldLock held = acquire();
  const std::stop_token lost = held.lost_token();
  simulation_.settle();
  disconnect(simulation_, *session_);
  const auto other = simulation_.open("other");
  must(simulation_.run(remove(*other, held.znode())), "remove");
  EXPECT_EQ(held.state(), LockState::kSuspect);
  reconnect(simulation_, *session_);
  EXPECT_TRUE(lost.stop_requested());
}

TEST_F(HeldLockTest, OwnReleaseIsNoLossForTheWatch) {
  HeldLock held = acquire();
  const std::stop_token lost = held.lost_token();
  simulation_.settle();
  EXPECT_EQ(run_and_settle(held.release()), ReleaseOutcome::kReleased);
  EXPECT_FALSE(lost.stop_requested());
  EXPECT_EQ(told(), Calls{"released: released"});
}

TEST_F(HeldLockTest, LossOfTheZnodeMayDestroyTheLock) {
  auto held = std::make_unique<HeldLock>(acquire());
  const Path own = held->znode();
  const std::stop_callback destroy(held->lost_token(), [&] { held.reset(); });
  const auto other = simulation_.open("other");
  must(run_and_settle(remove(*other, own)), "remove");
  EXPECT_EQ(held, nullptr);
}

// Returns the error of a transaction that writes while the lock is held.
Task<std::optional<Error>> write_balance(Session& session, const HeldLock& held, Data data) {
  Transaction transaction = Transaction().set_data("/balance", std::move(data));
  transaction.add(held.check());
  const auto done = co_await session.multi(std::move(transaction));
  if (done) co_return std::nullopt;
  co_return done.error().error;
}

TEST_F(HeldLockTest, CheckLetsATransactionHappenOnlyWhileTheLockIsHeld) {
  HeldLock held = acquire();
  must(simulation_.run(create(*session_, "/balance", "0")), "create");
  const auto write = [&](const char* balance) {
    return simulation_.run(write_balance(*session_, held, balance));
  };
  EXPECT_EQ(write("1"), std::nullopt);
  const auto other = simulation_.open("other");
  must(simulation_.run(set_data(*other, held.znode(), "__REVOKE__")), "set_data");
  EXPECT_EQ(write("2"), std::nullopt);
  must(simulation_.run(remove(*other, held.znode())), "remove");
  EXPECT_EQ(write("3"), Error::kNoNode);
  EXPECT_EQ(must(simulation_.run(get_data(*other, "/balance")), "get_data").data, Data("2"));
}

// ------------------------------------------------------------------------------ valid_until

TEST_F(HeldLockTest, ProofOfValidityIsKeptFresh) {
  const HeldLock held = acquire();
  const Duration timeout = session_->timeout();
  for (int i = 0; i < 10; ++i) {
    pass(timeout);
    EXPECT_GT(*held.valid_until(), simulation_.now() + timeout * 2 / 5);
    EXPECT_LT(*held.valid_until(), simulation_.now() + timeout);
    EXPECT_EQ(held.state(), LockState::kHeld);
  }
}

TEST_F(HeldLockTest, ProvingEndsWithTheGrant) {
  HeldLock held = acquire();
  static_cast<void>(held.valid_until());
  simulation_.run(held.release());
  const RequestCounter requests(simulation_);
  simulation_.advance(1h);
  EXPECT_EQ(requests.total(), 0U);
  EXPECT_EQ(held.valid_until(), std::nullopt);
}

TEST_F(HeldLockTest, EveryStateAndOutcomeHasAName) {
  EXPECT_EQ(name(LockState::kHeld), "held");
  EXPECT_EQ(name(LockState::kSuspect), "suspect");
  EXPECT_EQ(name(LockState::kLost), "lost");
  EXPECT_EQ(name(LockState::kReleased), "released");
  EXPECT_EQ(name(ReleaseOutcome::kReleased), "released");
  EXPECT_EQ(name(ReleaseOutcome::kAlreadyLost), "already lost");
  EXPECT_EQ(name(ReleaseOutcome::kUnknown), "unknown");
}

}  // namespace
}  // namespace lockstep
