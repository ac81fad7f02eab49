// How the oracles judge losses: S2 for grants that end by their holder's own clock, deletions by
// the holder's own session (S4), and losses that a release finds or invents (R1, R2).
#include <gtest/gtest.h>

#include <memory>

#include "lockstep/judge/lock_oracles.h"
#include "oracles_by_hand.h"

namespace lockstep::judge {
namespace {

using namespace unit;

class LossOraclesTest : public OraclesByHand {
 protected:
  GrantRecord own_clock_grant(const FakeSession& holder, const Created& own) {
    GrantRecord record = grant(holder, own);
    record.loss = LossPolicy::kOwnClock;
    return record;
  }
  // A holds, and its session expires; then B comes.
  GrantRecord expire_a_holder(LossPolicy loss) {
    GrantRecord held = grant(*a_, place(*a_));
    held.loss = loss;
    oracles_.granted(held);
    disconnect(simulation_, *a_);
    simulation_.expire(*a_);
    simulation_.settle();
    return held;
  }
  void grant_to_b() { oracles_.granted(own_clock_grant(*b_, place(*b_))); }
  // A learns of its grant when its session has expired and B holds.
  GrantRecord late_grant() {
    const GrantRecord late = own_clock_grant(*a_, place(*a_));
    disconnect(simulation_, *a_);
    simulation_.expire(*a_);
    simulation_.settle();
    grant_to_b();
    oracles_.granted(late);
    return late;
  }
  GrantRecord hold_as_a(const Created& own) {
    const GrantRecord held = own_clock_grant(*a_, own);
    oracles_.granted(held);
    return held;
  }
  // A deletes its znode while it holds.
  GrantRecord held_and_removed() {
    const Created own = place(*a_);
    const GrantRecord held = hold_as_a(own);
    remove_znode(*a_, own);
    return held;
  }
};

// ---------------------------------------------------------------------------------------- S2

TEST_F(LossOraclesTest, GrantBesideAHolderWithoutANoticeBreaksS2) {
  expire_a_holder(LossPolicy::kOwnClock);
  EXPECT_EQ(broken(), "");
  grant_to_b();
  expect_broken("S2", "it was not told of the loss");
}

TEST_F(LossOraclesTest, LossReportedInTimeIsSound) {
  const GrantRecord held = expire_a_holder(LossPolicy::kOwnClock);
  oracles_.lost(held, Error::kContactLost);
  grant_to_b();
  oracles_.check_orphans();
  EXPECT_EQ(broken(), "") << message();
}

TEST_F(LossOraclesTest, LossReportedAfterwardsIsTooLate) {
  const GrantRecord held = expire_a_holder(LossPolicy::kOnSuspicion);
  grant_to_b();
  oracles_.lost(held, Error::kSessionExpired);
  EXPECT_EQ(broken(), "S2");
}

TEST_F(LossOraclesTest, WithServerNoticeALateLossIsNoViolation) {
  expire_a_holder(LossPolicy::kServerNotice);
  grant_to_b();
  EXPECT_EQ(broken(), "") << message();
}

TEST_F(LossOraclesTest, AReleasingClientDoesNotHold) {
  const GrantRecord held = expire_a_holder(LossPolicy::kOwnClock);
  oracles_.releasing(held);
  grant_to_b();
  EXPECT_EQ(broken(), "") << message();
}

TEST_F(LossOraclesTest, AClientThatHasDroppedTheGrantDoesNotHold) {
  const GrantRecord held = expire_a_holder(LossPolicy::kOwnClock);
  oracles_.dropped(held);
  grant_to_b();
  EXPECT_EQ(broken(), "") << message();
}

TEST_F(LossOraclesTest, ADeadProcessDoesNotHold) {
  oracles_.acquiring(a_->id(), 0);
  expire_a_holder(LossPolicy::kOwnClock);
  oracles_.crashed(0);
  grant_to_b();
  EXPECT_EQ(broken(), "") << message();
}

TEST_F(LossOraclesTest, ReadersHoldTogether) {
  LockOracles readers(read_write_rules());
  readers.begin(simulation_.world(), verdict_);
  GrantRecord a = own_clock_grant(*a_, place(*a_, "/lock/x-__READ__"));
  a.share = Share::kShared;
  readers.granted(a);
  simulation_.kill(*a_);
  simulation_.settle();
  GrantRecord b = own_clock_grant(*b_, place(*b_, "/lock/x-__READ__"));
  b.share = Share::kShared;
  readers.granted(b);
  EXPECT_EQ(broken(), "") << message();
}

// A holds one of `most` leases, or is one of `most` at the front of a queue, and its session ends
// without its knowledge; then B takes two places.
class ManyHoldersTest : public LossOraclesTest {
 protected:
  void grant_beside_a_dead_holder(const LockRules& rules, std::string_view prefix) {
    LockOracles many(rules);
    many.begin(simulation_.world(), verdict_);
    const auto grant_to = [&](FakeSession& holder) {
      GrantRecord record = own_clock_grant(holder, place(holder, prefix));
      if (!rules.lease.empty()) record.share = Share::kShared;
      many.granted(record);
      return record;
    };
    const GrantRecord first = grant_to(*a_);
    simulation_.kill(*a_);
    simulation_.settle();
    grant_to(*b_);
    EXPECT_EQ(broken(), "") << message();
    if (a_is_told_) many.lost(first, Error::kSessionExpired);
    grant_to(*b_);
  }
  bool a_is_told_ = false;
};

TEST_F(ManyHoldersTest, ALeaseBesideAsManyThatAreBelievedInBreaksS2) {
  grant_beside_a_dead_holder(semaphore_rules(2), "/lock/x-lease-");
  expect_broken("S2", "it was not told of the loss");
}

TEST_F(ManyHoldersTest, AFrontPlaceBesideAsManyThatAreBelievedInBreaksS2) {
  grant_beside_a_dead_holder(first_of_queue_rules(2), "/lock/x-lock-");
  expect_broken("S2", "it was not told of the loss");
}

TEST_F(ManyHoldersTest, AHolderThatWasToldDoesNotCount) {
  a_is_told_ = true;
  grant_beside_a_dead_holder(semaphore_rules(2), "/lock/x-lease-");
  EXPECT_EQ(broken(), "") << message();
}

// A grant that the client learns of too late is over: the client must be told at once.
TEST_F(LossOraclesTest, LateGrantWithAnImmediateLossIsSound) {
  oracles_.lost(late_grant(), Error::kContactLost);
  EXPECT_EQ(broken(), "") << message();
}

// It makes no difference who speaks next.
TEST_F(LossOraclesTest, LateGrantWhoseLossComesInALaterStepBreaksS2) {
  const GrantRecord late = late_grant();
  must(simulation_.run(create(*b_, "/other")), "create");
  oracles_.lost(late, Error::kContactLost);
  EXPECT_EQ(broken(), "S2");
}

TEST_F(LossOraclesTest, LateGrantThatIsReleasedInALaterStepBreaksS2) {
  const GrantRecord late = late_grant();
  must(simulation_.run(create(*b_, "/other")), "create");
  oracles_.releasing(late);
  EXPECT_EQ(broken(), "S2");
}

TEST_F(LossOraclesTest, LateGrantWithoutALossBreaksS2) {
  late_grant();
  oracles_.check_orphans();
  EXPECT_EQ(broken(), "S2");
}

// ---------------------------------------------------------------------------------------- S4

TEST_F(LossOraclesTest, DeletingItsHeldZnodeBreaksS4) {
  held_and_removed();
  grant_to_b();
  expect_broken("S4", "by its own session while it was held");
}

TEST_F(LossOraclesTest, DeletingItsHeldZnodeBreaksS4WithoutALaterGrant) {
  held_and_removed();
  oracles_.check_orphans();
  EXPECT_EQ(broken(), "S4");
}

TEST_F(LossOraclesTest, DeletingItsHeldZnodeBreaksS4IfALossFollows) {
  oracles_.lost(held_and_removed(), Error::kNoNode);
  EXPECT_EQ(broken(), "S4");
}

TEST_F(LossOraclesTest, DeletingItsHeldZnodeBreaksS4IfAReleaseFollows) {
  oracles_.releasing(held_and_removed());
  EXPECT_EQ(broken(), "S4");
}

TEST_F(LossOraclesTest, DeletingItsHeldZnodeBreaksS4UnderEveryPolicy) {
  const Created a = place(*a_);
  const GrantRecord held = grant(*a_, a);
  ASSERT_EQ(held.loss, LossPolicy::kServerNotice);
  oracles_.granted(held);
  remove_znode(*a_, a);
  EXPECT_EQ(broken(), "");
  oracles_.releasing(held);
  EXPECT_EQ(broken(), "S4");
}

TEST_F(LossOraclesTest, DeletingItsLostZnodeIsSound) {
  const Created a = place(*a_);
  const GrantRecord held = hold_as_a(a);
  oracles_.lost(held, Error::kContactLost);
  remove_znode(*a_, a);
  grant_to_b();
  oracles_.released(held, ReleaseOutcome::kAlreadyLost);
  oracles_.check_orphans();
  EXPECT_EQ(broken(), "") << message();
}

// ------------------------------------------------------------------------------------- R1, R2

TEST_F(LossOraclesTest, AlreadyLostWithoutANoticeBreaksR1) {
  const GrantRecord held = hold_as_a(place(*a_));
  simulation_.kill(*a_);
  simulation_.settle();
  oracles_.releasing(held);
  oracles_.released(held, ReleaseOutcome::kAlreadyLost);
  EXPECT_EQ(broken(), "R1");
}

TEST_F(LossOraclesTest, AReleaseThatSucceedsAfterALossBreaksR2) {
  const Created a = place(*a_);
  const GrantRecord held = hold_as_a(a);
  oracles_.lost(held, Error::kContactLost);
  remove_znode(*a_, a);
  EXPECT_EQ(broken(), "");
  oracles_.released(held, ReleaseOutcome::kReleased);
  expect_broken("R2", "was 'released', but its loss had been reported");
}

TEST_F(LossOraclesTest, TwoReportsOfAReleaseWithDifferentOutcomesBreakR2) {
  const Created a = place(*a_);
  const GrantRecord held = hold_as_a(a);
  oracles_.releasing(held);
  oracles_.released(held, ReleaseOutcome::kUnknown);
  remove_znode(*a_, a);
  EXPECT_EQ(broken(), "");
  oracles_.released(held, ReleaseOutcome::kReleased);
  expect_broken("R2", "and, when asked again, as 'released'");
}

TEST_F(LossOraclesTest, AReleaseWithoutAGrantBreaksR2) {
  const Created a = place(*a_);
  const GrantRecord unknown = grant(*a_, a);
  remove_znode(*a_, a);
  oracles_.released(unknown, ReleaseOutcome::kReleased);
  expect_broken("R2", "was released without having been granted");
}

TEST_F(LossOraclesTest, AReleaseThatSaysAlreadyLostAlthoughItSucceededBreaksR2) {
  const Created a = place(*a_);
  const GrantRecord held = hold_as_a(a);
  oracles_.releasing(held);
  remove_znode(*a_, a);
  oracles_.lost(held, Error::kNoNode);
  EXPECT_EQ(broken(), "");
  oracles_.released(held, ReleaseOutcome::kAlreadyLost);
  expect_broken("R2", "the release itself has deleted it");
}

TEST_F(LossOraclesTest, AReleaseOfAnEndedSessionCannotKnowItsOutcome) {
  const Created a = place(*a_);
  const GrantRecord held = hold_as_a(a);
  oracles_.releasing(held);
  remove_znode(*a_, a);
  simulation_.kill(*a_);
  simulation_.settle();
  oracles_.lost(held, Error::kSessionExpired);
  oracles_.released(held, ReleaseOutcome::kAlreadyLost);
  EXPECT_EQ(broken(), "") << message();
}

}  // namespace
}  // namespace lockstep::judge
