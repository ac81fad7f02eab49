// A judge counts only what could have broken its guarantee: else the report comforts falsely.
#include <gtest/gtest.h>

#include "lockstep/judge/lock_oracles.h"
#include "oracles_by_hand.h"

namespace lockstep::judge {
namespace {

using namespace unit;
using search::Oracle;

class JudgementCountsTest : public OraclesOfRules {
 protected:
  std::uint64_t judged(Oracle oracle) { return oracles().judged().of(oracle); }
  static GrantRecord by_own_clock(GrantRecord record) {
    record.loss = LossPolicy::kOwnClock;
    return record;
  }
  void hold_and_remove(const GrantRecord& record, FakeSession& holder, const Created& own) {
    oracles().granted(record);
    oracles().releasing(record);
    remove_znode(holder, own);
  }
};

TEST_F(JudgementCountsTest, TheOrderOfGrantsIsJudgedFromTheSecondOneOn) {
  judge(mutex_rules());
  const Created first = place(*a_);
  hold_and_remove(grant(*a_, first), *a_, first);
  EXPECT_EQ(judged(Oracle::kL2), 0U);
  EXPECT_EQ(judged(Oracle::kS3), 0U);
  const Created second = place(*b_);
  hold_and_remove(grant(*b_, second), *b_, second);
  EXPECT_EQ(judged(Oracle::kL2), 1U);
  EXPECT_EQ(judged(Oracle::kS3), 1U);
}

TEST_F(JudgementCountsTest, ReadersHaveNoOrderAmongThemselvesAndNoTokenOfTheirOwn) {
  judge(read_write_rules());
  oracles().granted(shared(*a_, place(*a_, "/lock/x-__READ__")));
  oracles().granted(shared(*b_, place(*b_, "/lock/x-__READ__")));
  EXPECT_EQ(judged(Oracle::kL2), 0U);
  judge(read_write_rules());
  const Created writer = place(*a_, "/lock/x-__WRIT__");
  oracles().granted(grant(*a_, writer));
  remove_znode(*a_, writer);
  oracles().granted(shared(*b_, place(*b_, "/lock/x-__READ__")));
  EXPECT_EQ(judged(Oracle::kL2), 1U);
  EXPECT_EQ(judged(Oracle::kS3), 0U);
}

TEST_F(JudgementCountsTest, LeasesHaveNoOrder) {
  judge(semaphore_rules(2));
  for (int lease = 0; lease < 2; ++lease) {
    oracles().granted(shared(*a_, place(*a_, "/lock/x-lease-")));
  }
  EXPECT_EQ(judged(Oracle::kS1), 2U);
  EXPECT_EQ(judged(Oracle::kL2), 0U);
  EXPECT_EQ(judged(Oracle::kS3), 0U);
}

TEST_F(JudgementCountsTest, TheFirstOfAQueueHaveNoOrder) {
  judge(first_of_queue_rules(2));
  oracles().granted(grant(*a_, place(*a_)));
  oracles().granted(grant(*b_, place(*b_)));
  EXPECT_EQ(judged(Oracle::kS1), 2U);
  EXPECT_EQ(judged(Oracle::kL2), 0U);
  EXPECT_EQ(judged(Oracle::kS3), 0U);
}

// S2 is about the holders of earlier grants.
TEST_F(JudgementCountsTest, S2IsJudgedFromTheSecondGrantOn) {
  judge(mutex_rules());
  const Created first = place(*a_);
  hold_and_remove(by_own_clock(grant(*a_, first)), *a_, first);
  EXPECT_EQ(judged(Oracle::kS2), 0U);
  const Created second = place(*b_);
  hold_and_remove(grant(*b_, second), *b_, second);
  EXPECT_EQ(judged(Oracle::kS2), 1U);
  // Nobody has to tell the second holder.
  const Created third = place(*a_);
  hold_and_remove(grant(*a_, third), *a_, third);
  EXPECT_EQ(judged(Oracle::kS2), 2U);
  EXPECT_EQ(judged(Oracle::kL2), 3U);
}

TEST_F(JudgementCountsTest, S2CountsTheLeasesThatHaveOthersBesideThem) {
  judge(semaphore_rules(2));
  for (int lease = 0; lease < 2; ++lease) {
    EXPECT_EQ(judged(Oracle::kS2), 0U);
    oracles().granted(by_own_clock(shared(*a_, place(*a_, "/lock/x-lease-"))));
  }
  EXPECT_EQ(judged(Oracle::kS2), 1U);
}

// Looks at leases, or at a lock of one znode, show no predecessor.
TEST_F(JudgementCountsTest, WhereNobodyIsRightInFrontL3JudgesNothing) {
  judge(semaphore_rules(1));
  place(*a_, "/lock/x-lease-");
  const Created lease = place(*b_, "/lock/x-lease-");
  for (int look = 0; look < 2; ++look) {
    oracles().waiting(b_->id(), lease.path, 1);
    remove_znode(*a_, place(*a_, "/lock/x-lease-"));
  }
  EXPECT_EQ(judged(Oracle::kL3), 0U);
  judge(single_rules("only"));
  Created only = place(*a_, "/lock/only", CreateMode::kEphemeral);
  oracles().waiting(b_->id(), only.path, 1);
  remove_znode(*a_, only);
  oracles().granted(grant(*b_, place(*b_, "/lock/only", CreateMode::kEphemeral)));
  EXPECT_EQ(judged(Oracle::kL3), 0U);
}

}  // namespace
}  // namespace lockstep::judge
