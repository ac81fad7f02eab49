#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/fair_mutex.h"
#include "lockstep/lab/hunt.h"

// The callbacks of a hunt, hunts in parts, and the reasons why a hunt ends.
namespace lockstep::lab {
namespace {

HuntSettings of_many(std::uint64_t executions) {
  return {.size = {2, 1}, .executions = executions};
}

LockUnderTest sound(bool isolated = false) {
  LockUnderTest lock("fair-mutex", &contend_briefly_for<FairMutex>);
  lock.isolated = isolated;
  return lock;
}

TEST(HuntWatchTest, ProgressRisesToTheNumberOfExecutions) {
  std::vector<std::uint64_t> heard;
  HuntWatch watch;
  watch.progress = [&](std::uint64_t done) { heard.push_back(done); };
  const HuntReport report = hunt_lock(sound(), of_many(5'000), watch);
  ASSERT_GT(heard.size(), 1U);
  EXPECT_TRUE(std::ranges::is_sorted(heard));
  EXPECT_LE(heard.back(), report.executions);
}

TEST(HuntWatchTest, AnInterruptionEndsAHuntEarly) {
  for (const std::uint32_t jobs : {1U, 2U}) {
    std::atomic<std::uint64_t> asked = 0;
    HuntWatch watch;
    watch.interrupted = [&] { return ++asked > 20; };
    HuntSettings settings = of_many(HuntSettings::kMostExecutions);
    settings.jobs = jobs;
    const HuntReport report = hunt_lock(sound(true), settings, watch);
    EXPECT_EQ(report.stopped_by, StoppedBy::kInterruption);
    EXPECT_GT(report.executions, 0U);
    EXPECT_TRUE(report.passed());
  }
}

TEST(HuntWatchTest, AnInterruptionEndsAnExhaustiveSearch) {
  for (const std::uint32_t jobs : {1U, 2U}) {
    std::atomic<bool> interrupted = false;
    HuntWatch watch;
    watch.progress = [&](std::uint64_t) { interrupted = true; };
    watch.interrupted = [&] { return interrupted.load(); };
    HuntSettings settings = of_many(HuntSettings::kUnbounded);
    settings.size = {3, 1};
    settings.strategy = HuntSettings::kExhaustive;
    settings.jobs = jobs;
    const HuntReport report = hunt_lock(sound(true), settings, watch);
    EXPECT_EQ(report.stopped_by, StoppedBy::kInterruption);
    EXPECT_FALSE(report.exhaustive->exhausted);
  }
}

TEST(HuntWatchTest, AnInterruptionThatIsToldOnceIsTheReason) {
  for (const std::string_view strategy : {std::string_view("random"), HuntSettings::kExhaustive}) {
    for (const std::uint32_t jobs : {1U, 2U}) {
      std::atomic<std::uint64_t> asked = 0;
      HuntWatch watch;
      watch.interrupted = [&] { return ++asked == 2; };
      HuntSettings settings = of_many(HuntSettings::kMostExecutions);
      settings.size = {3, 1};
      settings.strategy = strategy;
      settings.jobs = jobs;
      EXPECT_EQ(hunt_lock(sound(true), settings, watch).stopped_by, StoppedBy::kInterruption)
          << strategy << ", " << jobs << " jobs";
    }
  }
}

TEST(HuntPartsTest, TwoPartsAreTheWhole) {
  const HuntReport whole = hunt_lock(sound(), of_many(300));
  const HuntReport front = hunt_lock(sound(), of_many(100));
  HuntSettings settings = of_many(200);
  settings.first = 100;
  const HuntReport rest = hunt_lock(sound(), settings);
  EXPECT_EQ(front.steps + rest.steps, whole.steps);
  EXPECT_EQ(front.trace_hash + rest.trace_hash, whole.trace_hash);
  EXPECT_NE(front.trace_hash, rest.trace_hash);
}

// Fails only in rare executions, those of a certain length.
LockUnderTest rarely_broken() {
  LockUnderTest lock = sound();
  lock.check_at_end = [](const fakezk::World& world, search::Verdict& verdict) {
    if (world.steps() % 41 == 3) verdict.report("user:rare", "a rare length", world.steps());
  };
  return lock;
}

TEST(HuntPartsTest, APartFindsWhatTheWholeFindsThere) {
  const HuntReport whole = hunt_lock(rarely_broken(), of_many(20'000));
  ASSERT_TRUE(whole.failure);
  ASSERT_GT(whole.failed_execution, 0U);
  HuntSettings settings = of_many(1);
  settings.first = whole.failed_execution;
  const HuntReport part = hunt_lock(rarely_broken(), settings);
  ASSERT_TRUE(part.failure);
  EXPECT_EQ(part.failed_execution, whole.failed_execution);
  EXPECT_EQ(part.failure->replay, whole.failure->replay);
  const std::string found = std::to_string(whole.failed_execution);
  for (const HuntReport& report : {whole, part}) {
    EXPECT_NE(report.text().find(" in execution " + found + " of seed "), std::string::npos);
    EXPECT_NE(report.html().find(R"(["Found in execution",")" + found + R"("])"),
              std::string::npos);
  }
  settings.executions = whole.failed_execution;
  settings.first = 0;
  EXPECT_FALSE(hunt_lock(rarely_broken(), settings).failure);
}

TEST(StoppedByTest, EachReasonHasAName) {
  std::set<std::string_view> names;
  const auto last = static_cast<int>(StoppedBy::kDependence);
  for (int reason = 0; reason <= last; ++reason) {
    names.insert(name(static_cast<StoppedBy>(reason)));
  }
  EXPECT_EQ(names, std::set<std::string_view>({"count", "violation", "time", "interrupt",
                                               "exhaustion", "depth", "dependence"}));
}

TEST(StoppedByTest, AReportHasTheReason) {
  EXPECT_EQ(hunt_lock(sound(), of_many(3)).stopped_by, StoppedBy::kCount);
  EXPECT_EQ(hunt_lock(rarely_broken(), of_many(20'000)).stopped_by, StoppedBy::kViolation);
  HuntSettings settings = of_many(HuntSettings::kMostExecutions);
  settings.seconds = 0.001;
  EXPECT_EQ(hunt_lock(sound(), settings).stopped_by, StoppedBy::kTime);
  settings = of_many(HuntSettings::kUnbounded);
  settings.strategy = HuntSettings::kExhaustive;
  settings.faults = fakezk::FaultPlan();
  EXPECT_EQ(hunt_lock(sound(), settings).stopped_by, StoppedBy::kExhaustion);
}

}  // namespace
}  // namespace lockstep::lab
