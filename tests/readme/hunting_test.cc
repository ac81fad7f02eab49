// The code of docs/hunting.md.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "hunting_includes.inc"
#include "printed.h"

namespace lockstep::readme::guide_to_hunts {

#include "hunting_1.inc"
#include "hunting_2.inc"
#include "hunting_3.inc"
#include "hunting_4.inc"
#include "hunting_5.inc"
#include "hunting_6.inc"
#include "hunting_7.inc"

TEST(HuntingGuideTest, TheUsersOfASessionAreJudgedSeparately) {
  const lab::HuntReport report = hunt_tickets();
  ASSERT_TRUE(report.failure) << report.text();
  EXPECT_EQ(report.failure->violation.oracle, "S2");
  EXPECT_NE(report.failure->lanes.find("reads sold: 0"), std::string::npos) << report.text();
}

TEST(HuntingGuideTest, AcquiresOfAnOwnContenderAreJudged) {
  lab::LockUnderTest lock("reader", &read_under_a_lock);
  lock.last = lab::LastContender::kImpatient;
  const lab::HuntReport report = lab::hunt_lock(lock, {.executions = 500});
  EXPECT_TRUE(report.passed()) << report.text();
  for (const search::Oracle oracle : {search::Oracle::kL1, search::Oracle::kL4}) {
    EXPECT_GT(report.judged.of(oracle), 0U) << report.text();
  }
}

TEST(HuntingGuideTest, ASmallScenarioIsProved) {
  EXPECT_TRUE(is_like(prove().verdict() + "\n", shown("hunting_7.out"))) << prove().text();
}

}  // namespace lockstep::readme::guide_to_hunts
