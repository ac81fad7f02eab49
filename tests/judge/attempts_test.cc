// Facts about an acquire in progress, by which scenarios judge a conflict.
#include "oracles_by_hand.h"

namespace lockstep {
namespace {

using namespace unit;
using Others = judge::LockOracles::Others;

class AttemptsTest : public OraclesByHand {
 protected:
  bool a_has_met(Others others = Others::kAny) { return oracles_.has_met(a_->id(), 0, others); }
};

TEST_F(AttemptsTest, AnAcquireMeetsWhoeverHasContendedSinceItBegan) {
  const Created early = place(*b_);
  oracles_.acquiring(a_->id(), 0);
  remove_znode(*b_, early);
  EXPECT_TRUE(a_has_met());
  oracles_.resolved(a_->id());
  oracles_.acquiring(a_->id(), 0);
  EXPECT_FALSE(a_has_met());
  remove_znode(*b_, place(*b_));
  EXPECT_TRUE(a_has_met());
}

TEST_F(AttemptsTest, AnAcquireMeetsTheRemainsOfItsSessionButNotItsGrant) {
  const Created own = place(*a_);
  const GrantRecord held = grant(*a_, own);
  oracles_.granted(held);
  oracles_.acquiring(a_->id(), 0);
  place(*a_);
  EXPECT_FALSE(a_has_met());
  oracles_.dropped(held);
  EXPECT_TRUE(a_has_met());
}

// A downgraded reader has its writer's number, and an upgrade passes over that writer.
TEST_F(AttemptsTest, AnUpgradeDoesNotMeetTheWriterThatItsReaderWas) {
  oracles_.end();
  judge::LockOracles oracles(judge::read_write_rules());
  oracles.begin(simulation_.world(), verdict_);
  const Created writer = place(*a_, "/lock/x-__WRIT__");
  const Created reader = place(*a_, "/lock/y-__READ__0000000000", CreateMode::kEphemeral);
  GrantRecord held = grant(*a_, reader);
  held.share = Share::kShared;
  held.continues = writer.path;
  oracles.granted(held);
  oracles.acquiring(a_->id(), 0);
  EXPECT_FALSE(oracles.has_met(a_->id(), 0, Others::kExclusive));
  oracles.dropped(held);
  EXPECT_TRUE(oracles.has_met(a_->id(), 0, Others::kExclusive));
}

TEST_F(AttemptsTest, AnUpgradeIsMetByWritersOnly) {
  oracles_.end();
  judge::LockOracles oracles(judge::read_write_rules());
  oracles.begin(simulation_.world(), verdict_);
  oracles.acquiring(a_->id(), 0);
  place(*b_, "/lock/x-__READ__");
  EXPECT_TRUE(oracles.has_met(a_->id(), 0, Others::kAny));
  EXPECT_FALSE(oracles.has_met(a_->id(), 0, Others::kExclusive));
  place(*b_, "/lock/x-__WRIT__");
  EXPECT_TRUE(oracles.has_met(a_->id(), 0, Others::kExclusive));
}

TEST_F(AttemptsTest, AnAcquireHasWaitedOnceItReportsThat) {
  const Created first = place(*b_);
  oracles_.acquiring(a_->id(), 0);
  oracles_.acquiring(b_->id(), 1);
  const Created own = place(*a_);
  EXPECT_FALSE(oracles_.has_waited(a_->id()));
  oracles_.waiting(a_->id(), own.path, 1);
  EXPECT_TRUE(oracles_.has_waited(a_->id()));
  EXPECT_FALSE(oracles_.has_waited(b_->id()));
  oracles_.resolved(a_->id());
  oracles_.acquiring(a_->id(), 0);
  EXPECT_FALSE(oracles_.has_waited(a_->id()));
}

}  // namespace
}  // namespace lockstep
