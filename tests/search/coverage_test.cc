#include "lockstep/search/coverage.h"

#include <gtest/gtest.h>

#include <string>

#include "lockstep/fair_mutex.h"
#include "lockstep/lab/hunt.h"

namespace lockstep::fakezk {
namespace {

lab::HuntReport hunt(std::uint64_t executions, const FaultPlan& faults, ReplicaIndex replicas = 1) {
  lab::LockUnderTest lock = lab::lock_under_test<FairMutex>("fair-mutex");
  lock.replicas = replicas;
  lab::HuntSettings settings{
      .size = {2, 1}, .faults = faults, .executions = executions, .measure_coverage = true};
  return hunt_lock(lock, settings);
}

TEST(DistinctHashesTest, CountsEachOnce) {
  search::DistinctHashes hashes;
  EXPECT_EQ(hashes.size(), 0U);
  for (std::uint64_t i = 0; i < 30'000; ++i) hashes.add(i * i % 1000);
  search::DistinctHashes naive;
  for (std::uint64_t i = 0; i < 1000; ++i) naive.add(i * i % 1000);
  EXPECT_EQ(hashes.size(), naive.size());
  EXPECT_LT(hashes.size(), 1000U);
  hashes.add(1'000'000);
  EXPECT_EQ(hashes.size(), naive.size() + 1);
}

TEST(DistinctHashesTest, AUnionCountsCommonHashesOnce) {
  search::DistinctHashes left;
  search::DistinctHashes right;
  for (std::uint64_t i = 0; i < 10; ++i) left.add(i);
  for (std::uint64_t i = 5; i < 20; ++i) right.add(i);
  left.add_all(right);
  EXPECT_EQ(left.size(), 20U);
}

TEST(CoverageTest, OneExecutionIsOneTrace) {
  const lab::HuntReport report = hunt(1, FaultPlan());
  ASSERT_TRUE(report.coverage);
  EXPECT_EQ(report.coverage->traces(), 1U);
  EXPECT_GT(report.coverage->states(), 10U);
  EXPECT_GT(report.coverage->events(Event::Kind::kDeliver), 0U);
}

TEST(CoverageTest, MoreExecutionsReachMore) {
  const lab::HuntReport few = hunt(20, FaultPlan::all(2));
  const lab::HuntReport many = hunt(500, FaultPlan::all(2));
  EXPECT_GT(many.coverage->traces(), few.coverage->traces());
  EXPECT_LE(many.coverage->traces(), 500U);
  EXPECT_GT(many.coverage->states(), few.coverage->states());
}

TEST(CoverageTest, ReportsWhichFaultsStruckAndWhichNever) {
  const lab::HuntReport report = hunt(200, lab::faults_called("cut", 1));
  EXPECT_GT(report.coverage->faults(FaultKind::kCut), 0U);
  EXPECT_EQ(report.coverage->faults(FaultKind::kExpiry), 0U);
  const std::string text = report.text();
  EXPECT_NE(text.find("faults: cut "), text.npos) << text;
  EXPECT_NE(text.find("; never expiry, kill-session, "), text.npos) << text;
  EXPECT_NE(text.find("never close-session, reap, stray, replicate"), text.npos) << text;
}

TEST(CoverageTest, ASlowServerHasItsOwnEvents) {
  const lab::HuntReport report = hunt(50, FaultPlan(), 3);
  EXPECT_GT(report.coverage->events(Event::Kind::kReplicate), 0U);
}

TEST(CoverageTest, IsMeasuredOnlyOnRequest) {
  lab::HuntSettings settings{.executions = 1};
  const lab::HuntReport report = hunt_lock(lab::lock_under_test<FairMutex>("fair-mutex"), settings);
  EXPECT_FALSE(report.coverage);
}

}  // namespace
}  // namespace lockstep::fakezk
