#include "lockstep/search/judgements.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "lockstep/fair_mutex.h"
#include "lockstep/lab/contend_for.h"
#include "lockstep/lab/hunt.h"

namespace lockstep::search {
namespace {

lab::HuntReport hunt_fair_mutex(std::uint32_t jobs) {
  lab::HuntSettings settings{.executions = 300, .jobs = jobs};
  return hunt_lock(lab::lock_under_test<FairMutex>("fair-mutex"), settings);
}

TEST(JudgementsTest, TextNamesGuaranteesThatJudgedNothingAndWhy) {
  Judgements judged;
  judged.count(Oracle::kS1, 20);
  judged.count(Oracle::kR2);
  judged.count(Oracle::kCrash);
  const std::string text = judged.text();
  EXPECT_TRUE(text.starts_with("Judged: S1 20, R2 1 times. Judged nothing: S2 (no grant followed"))
      << text;
  EXPECT_NE(text.find("L4 (no acquire had a deadline)"), std::string::npos) << text;
  EXPECT_EQ(text.find("crash"), std::string::npos) << text;
}

TEST(JudgementsTest, EveryGrantOfAHuntCounts) {
  const lab::HuntReport report = hunt_fair_mutex(1);
  ASSERT_TRUE(report.passed()) << report.text();
  EXPECT_GE(report.judged.of(Oracle::kS1), 300U);
  EXPECT_LE(report.judged.of(Oracle::kR2), report.judged.of(Oracle::kS1));
  EXPECT_GE(report.judged.of(Oracle::kL1), 300U * report.size.clients);
  EXPECT_GT(report.judged.of(Oracle::kL3), 0U);
  EXPECT_GT(report.judged.of(Oracle::kL4), 0U);
}

TEST(JudgementsTest, TheNumberOfJobsDoesNotMatter) {
  EXPECT_EQ(hunt_fair_mutex(1).judged, hunt_fair_mutex(2).judged);
}

}  // namespace
}  // namespace lockstep::search
