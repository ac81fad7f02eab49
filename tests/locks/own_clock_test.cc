// Losses by the client's own clock: HeldLock, LossPolicy, ContactKeeper.
#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <stop_token>

#include "lockstep/fair_mutex.h"
#include "lockstep/held_lock.h"
#include "lockstep/semaphore.h"
#include "lockstep/unfair_mutex.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

// Records suspicions as well.
class SuspicionListener final : public LockObserver {
 public:
  [[nodiscard]] const Calls& calls() const { return calls_; }

 private:
  void granted(const GrantRecord&) override { calls_.emplace_back("granted"); }
  void suspected(const GrantRecord&) override { calls_.emplace_back("suspected"); }
  void held_again(const GrantRecord&) override { calls_.emplace_back("held again"); }
  void releasing(const GrantRecord&) override { calls_.emplace_back("releasing"); }
  void lost(const GrantRecord&, Error cause) override {
    calls_.push_back("lost: " + std::string(name(cause)));
  }
  void released(const GrantRecord&, ReleaseOutcome outcome) override {
    calls_.push_back("released: " + std::string(name(outcome)));
  }

  Calls calls_;
};

class OwnClockTest : public SimulatedTest {
 protected:
  HeldLock acquire(LossPolicy loss = LossPolicy::kOwnClock) {
    LockOptions options;
    options.loss = loss;
    FairMutex mutex(*session_, "/lock", options, &observer_);
    return must(simulation_.run(mutex.acquire()), "acquire");
  }
  void advance_to(TimePoint instant) { simulation_.advance(instant - simulation_.now()); }

  SuspicionListener observer_;
  const std::shared_ptr<FakeSession> session_ = simulation_.open("A");
  const Duration timeout_ = session_->timeout();
};

TEST_F(OwnClockTest, PartitionIsASuspicionAndThenALossWithoutARequest) {
  const HeldLock held = acquire();
  simulation_.advance(1min);
  ASSERT_EQ(observer_.calls(), Calls{"granted"});
  const TimePoint end = *held.valid_until();
  disconnect(simulation_, *session_);
  EXPECT_EQ(observer_.calls(), (Calls{"granted", "suspected"}));
  EXPECT_EQ(held.valid_until(), end);
  advance_to(end - 1ns);
  EXPECT_EQ(held.state(), LockState::kSuspect);
  simulation_.advance(1ns);
  EXPECT_EQ(held.state(), LockState::kLost);
  EXPECT_EQ(held.cause(), Error::kContactLost);
  EXPECT_EQ(held.valid_until(), std::nullopt);
  EXPECT_EQ(observer_.calls(), (Calls{"granted", "suspected", "lost: contact lost"}));
}

TEST_F(OwnClockTest, ItIsLostBeforeTheServerExpiresItsSession) {
  for (const Duration held_for : {0s, 1s, 2s, 4s, 5s, 9s, 30s}) {
    const auto session = simulation_.open("short");
    FairMutex mutex(*session, "/short");
    const HeldLock held = must(simulation_.run(mutex.acquire()), "acquire");
    const std::stop_token lost = held.lost_token();
    simulation_.advance(held_for);
    disconnect(simulation_, *session);
    EXPECT_FALSE(lost.stop_requested());
    std::optional<TimePoint> told;
    const std::stop_callback note(lost, [&] { told = simulation_.now(); });
    const TimePoint end = *held.valid_until();
    simulation_.expire(*session);
    ASSERT_TRUE(told.has_value());
    EXPECT_EQ(*told, end);
    EXPECT_LT(*told, simulation_.now());
    EXPECT_EQ(held.cause(), Error::kContactLost);
    reconnect(simulation_, *session);
    EXPECT_FALSE(simulation_.exists(held.znode()));
  }
}

TEST_F(OwnClockTest, LockLostWhileItsSessionLivesLeavesTheQueueAfterwards) {
  HeldLock held = acquire();
  const auto other = simulation_.open("B");
  FairMutex mutex(*other, "/lock");
  const auto next = start_and_settle(mutex.acquire());
  // The client's requests arrive, but it receives nothing: for the server, the session is alive.
  simulation_.hold_inbox(*session_);
  simulation_.advance(timeout_);
  EXPECT_EQ(held.cause(), Error::kContactLost);
  EXPECT_EQ(session_->state(), SessionState::kConnected);
  simulation_.run_until(next);
  EXPECT_FALSE(simulation_.exists(held.znode()));
  let_go_and_settle(*session_);
  EXPECT_TRUE(session_->background().empty());
  EXPECT_EQ(simulation_.run(held.release()), ReleaseOutcome::kAlreadyLost);
  EXPECT_EQ(observer_.calls(),
            (Calls{"granted", "suspected", "lost: contact lost", "released: already lost"}));
}

TEST_F(OwnClockTest, AnUnfairGrantThatIsLostDeletesItsOwnZnodeOnly) {
  UnfairMutex mutex(*session_, "/single/lock", &observer_);
  const HeldLock held = must(simulation_.run(mutex.acquire()), "acquire");
  disconnect(simulation_, *session_);
  simulation_.advance(timeout_);
  EXPECT_EQ(held.cause(), Error::kContactLost);
  const auto other = simulation_.open("B");
  must(simulation_.run(remove(*other, held.znode())), "remove");
  UnfairMutex again(*other, "/single/lock");
  const HeldLock theirs = must(simulation_.run(again.try_acquire()), "acquire");
  reconnect(simulation_, *session_);
  simulation_.advance(1s);
  EXPECT_TRUE(simulation_.exists(theirs.znode()));
  EXPECT_EQ(theirs.state(), LockState::kHeld);
}

TEST_F(OwnClockTest, FadingProofIsASuspicionEvenWhileConnected) {
  const HeldLock held = acquire();
  simulation_.advance(1min);
  simulation_.hold_inbox(*session_);
  const TimePoint end = *held.valid_until();
  advance_to(end - timeout_ / 4 - 1ns);
  EXPECT_EQ(held.state(), LockState::kHeld);
  simulation_.advance(1ns);
  EXPECT_EQ(held.state(), LockState::kSuspect);
  EXPECT_EQ(observer_.calls(), (Calls{"granted", "suspected"}));
  simulation_.let_go(*session_);
  simulation_.advance(timeout_ / 2);
  EXPECT_EQ(held.state(), LockState::kHeld);
  EXPECT_EQ(observer_.calls(), (Calls{"granted", "suspected", "held again"}));
}

TEST_F(OwnClockTest, EverySuspicionHasItsOwnToken) {
  const HeldLock held = acquire();
  const std::stop_token first = held.suspect_token();
  EXPECT_FALSE(first.stop_requested());
  disconnect(simulation_, *session_);
  EXPECT_TRUE(first.stop_requested());
  EXPECT_TRUE(held.suspect_token().stop_requested());
  reconnect(simulation_, *session_);
  EXPECT_TRUE(first.stop_requested());
  const std::stop_token second = held.suspect_token();
  EXPECT_FALSE(second.stop_requested());
  disconnect(simulation_, *session_);
  EXPECT_TRUE(second.stop_requested());
  EXPECT_FALSE(held.lost_token().stop_requested());
}

TEST_F(OwnClockTest, ALossStopsTheTokenOfTheNextSuspicionToo) {
  const HeldLock held = acquire();
  const std::stop_token suspect = held.suspect_token();
  must(simulation_.run(close(*session_)), "close");
  EXPECT_TRUE(suspect.stop_requested());
  EXPECT_TRUE(held.suspect_token().stop_requested());
}

TEST_F(OwnClockTest, SuspicionMayDestroyTheLock) {
  std::optional<HeldLock> held = acquire();
  const Path own = held->znode();
  const std::stop_callback drop(held->suspect_token(), [&] { held.reset(); });
  disconnect(simulation_, *session_);
  EXPECT_FALSE(held.has_value());
  reconnect(simulation_, *session_);
  EXPECT_FALSE(simulation_.exists(own));
}

// -------------------------------------------------------------------------------- policies

TEST_F(OwnClockTest, WithSuspicionTheLockIsLostWithTheConnection) {
  const HeldLock held = acquire(LossPolicy::kOnSuspicion);
  simulation_.advance(1min);
  EXPECT_EQ(held.state(), LockState::kHeld);
  disconnect(simulation_, *session_);
  EXPECT_EQ(held.cause(), Error::kContactLost);
  EXPECT_EQ(observer_.calls(), (Calls{"granted", "suspected", "lost: contact lost"}));
  EXPECT_TRUE(simulation_.exists(held.znode()));
  reconnect(simulation_, *session_);
  EXPECT_FALSE(simulation_.exists(held.znode()));
}

TEST_F(OwnClockTest, WithServerNoticeNothingIsAskedUntilTheProofIsWanted) {
  const HeldLock held = acquire(LossPolicy::kServerNotice);
  const RequestCounter requests(simulation_);
  simulation_.advance(1h);
  EXPECT_EQ(requests.total(), 0U);
  EXPECT_GT(*held.valid_until(), simulation_.now() + timeout_ / 3);
  simulation_.advance(1h);
  EXPECT_GT(*held.valid_until(), simulation_.now() + timeout_ / 3);
  EXPECT_GT(requests.of(*session_, OpCode::kSync), 2000U);
  simulation_.hold_inbox(*session_);
  simulation_.advance(1h);
  EXPECT_EQ(held.state(), LockState::kSuspect);
  EXPECT_EQ(held.cause(), std::nullopt);
}

TEST_F(OwnClockTest, EveryPolicyHasAName) {
  EXPECT_EQ(name(LossPolicy::kOwnClock), "own clock");
  EXPECT_EQ(name(LossPolicy::kOnSuspicion), "on suspicion");
  EXPECT_EQ(name(LossPolicy::kServerNotice), "server notice");
}

// ----------------------------------------------------------------------------------- the proof

TEST_F(OwnClockTest, AGrantThatIsReleasedAtOnceCostsNoExtraRequest) {
  HeldLock held = acquire();
  const RequestCounter requests(simulation_);
  EXPECT_EQ(simulation_.run(held.release()), ReleaseOutcome::kReleased);
  simulation_.advance(1h);
  EXPECT_EQ(requests.total(), 1U);
}

TEST_F(OwnClockTest, AThousandGrantsAskNoMoreThanOne) {
  std::deque<HeldLock> held;
  for (int i = 0; i < 1000; ++i) {
    FairMutex mutex(*session_, Path("/many") / std::to_string(i));
    held.push_back(must(simulation_.run(mutex.acquire()), "acquire"));
  }
  const RequestCounter requests(simulation_);
  simulation_.advance(timeout_ * 10);
  EXPECT_GE(requests.of(*session_, OpCode::kSync), 59U);
  EXPECT_LE(requests.of(*session_, OpCode::kSync), 61U);
  EXPECT_EQ(requests.total(), requests.of(*session_, OpCode::kSync));
  for (const HeldLock& each : held) EXPECT_EQ(each.state(), LockState::kHeld);
}

TEST_F(OwnClockTest, OtherOrderedRequestsReplaceTheSync) {
  const HeldLock held = acquire();
  must(simulation_.run(create(*session_, "/work")), "create");
  const RequestCounter requests(simulation_);
  for (int i = 0; i < 100; ++i) {
    must(simulation_.run(set_data(*session_, "/work", "done")), "set_data");
    simulation_.advance(timeout_ / 10);
    EXPECT_EQ(held.state(), LockState::kHeld);
  }
  EXPECT_EQ(requests.of(*session_, OpCode::kSync), 0U);
  EXPECT_GT(*held.valid_until(), simulation_.now() + timeout_ / 3);
}

TEST_F(OwnClockTest, ReadsDoNotReplaceTheSync) {
  const HeldLock held = acquire();
  const RequestCounter requests(simulation_);
  for (int i = 0; i < 100; ++i) {
    must(simulation_.run(get_data(*session_, held.znode())), "get_data");
    simulation_.advance(timeout_ / 10);
  }
  EXPECT_GE(requests.of(*session_, OpCode::kSync), 55U);
}

TEST_F(OwnClockTest, ANewSessionIsProvenByItsHandshake) {
  const HeldLock held = acquire();
  EXPECT_EQ(*held.valid_until(),
            simulation_.now() + timeout_ - timeout_ / ContactProof::kDriftParts);
}

TEST_F(OwnClockTest, AnIdleSessionKeepsItsProofWithoutASync) {
  simulation_.advance(1h);
  const RequestCounter requests(simulation_);
  const HeldLock held = acquire();
  EXPECT_EQ(requests.of(*session_, OpCode::kSync), 0U);
  EXPECT_EQ(held.state(), LockState::kHeld);
  EXPECT_GT(*held.valid_until(), simulation_.now() + timeout_ * 2 / 3);
  simulation_.advance(1h);
  EXPECT_EQ(observer_.calls(), Calls{"granted"});
}

// The list that shows its place waited in the inbox of a connection that the server has closed.
TEST_F(OwnClockTest, AGrantLearnedOfTooLateIsLostFromTheStart) {
  FairMutex mutex(*session_, "/lock", &observer_);
  must(simulation_.run(create(*session_, "/lock")), "create");
  const auto acquiring = simulation_.start(mutex.acquire());
  simulation_.hold_inbox(*session_);
  simulation_.settle();
  simulation_.let_go(*session_);
  run_steps(simulation_, 1);
  simulation_.hold_inbox(*session_);
  simulation_.settle();
  simulation_.cut(*session_, 0, 1);
  simulation_.advance(timeout_);
  simulation_.let_go(*session_);
  simulation_.run_until(acquiring);
  ASSERT_TRUE(acquiring.result().has_value());
  EXPECT_EQ(acquiring.result()->cause(), Error::kContactLost);
  simulation_.settle();
  EXPECT_FALSE(simulation_.exists(acquiring.result()->znode()));
}

TEST_F(OwnClockTest, AnotherSessionsExpiryIsNoPartition) {
  const HeldLock held = acquire();
  simulation_.advance(1min);
  const auto other = simulation_.open("B");
  simulation_.expire(*other);
  simulation_.settle();
  EXPECT_EQ(held.state(), LockState::kHeld);
  EXPECT_GT(*held.valid_until(), simulation_.now());
  EXPECT_EQ(observer_.calls(), Calls{"granted"});
}

TEST_F(OwnClockTest, TheTurnOfASemaphoreOutlivesAPartition) {
  Semaphore semaphore(*session_, "/leases", 1);
  HeldLock first = must(simulation_.run(semaphore.acquire()), "acquire");
  const auto second = start_and_settle(semaphore.acquire());
  simulation_.hold_inbox(*session_);
  simulation_.advance(timeout_);
  simulation_.let_go(*session_);
  EXPECT_EQ(first.cause(), Error::kContactLost);
  simulation_.run_until(second);
  EXPECT_TRUE(second.result().has_value());
}

}  // namespace
}  // namespace lockstep
