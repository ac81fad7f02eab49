#include "on_zookeeper.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/lab/hunt.h"
#include "lockstep/lab/replay.h"
#include "lockstep/search/hunt.h"
#include "lockstep/search/strategy.h"
#include "scenarios/registry.h"
#include "support/heap.h"

// Hunts the shipped code: the production backend and the C client in the simulated world.

namespace lockstep::hunted {
namespace {

lab::LockUnderTest production(std::string_view scenario) {
  const scenarios::Scenario* const found = scenarios::find(scenario);
  if (!found) throw std::invalid_argument("no scenario of that name");
  return on_zookeeper(found->lock());
}

lab::HuntSettings executions(std::uint64_t count, const char* faults) {
  return {.faults = lab::faults_called(faults, 2), .executions = count};
}

std::vector<std::string_view> recipes() {
  std::vector<std::string_view> names;
  for (const scenarios::Scenario& scenario : scenarios::all()) {
    if (scenario.kind == "recipe") names.push_back(scenario.name);
  }
  return names;
}

class OnZookeeperTest : public ::testing::TestWithParam<std::string_view> {};

TEST_P(OnZookeeperTest, RecipesHold) {
  const lab::HuntReport report = hunt_lock(production(GetParam()), executions(60, "all"));
  EXPECT_TRUE(report.passed()) << report.text();
  EXPECT_GT(report.judged.of(search::Oracle::kS4), 0u);
}

INSTANTIATE_TEST_SUITE_P(Recipes, OnZookeeperTest, ::testing::ValuesIn(recipes()),
                         [](const auto& name) {
                           std::string text(name.param);
                           std::erase(text, '-');
                           return text;
                         });

// A million executions may run in one process.
TEST(OnZookeeperHuntTest, AnExecutionLeavesNoMemoryBehind) {
  const lab::LockUnderTest lock = production("fair-mutex");
  const scenarios::Scenario& scenario = *scenarios::find("fair-mutex");
  search::Searcher searcher(lock.program(scenario.size), search::make_random_walk(),
                            search::ExecutionLimits(), 1);
  constexpr std::uint64_t kWarmUp = 150;
  constexpr std::uint64_t kMeasured = 300;
  std::uint64_t next = 0;
  while (next < kWarmUp) static_cast<void>(searcher.run(next++));
  const std::size_t before = support::heap_bytes();
  while (next < kWarmUp + kMeasured) static_cast<void>(searcher.run(next++));
  EXPECT_LT(support::heap_bytes(), before + 100 * kMeasured);
}

// The same oracles catch a broken lock there.
TEST(OnZookeeperHuntTest, ABrokenLockFalls) {
  const scenarios::Scenario& broken = *scenarios::find("textbook-a");
  search::Searcher searcher(on_zookeeper(broken.lock()).program(broken.size),
                            search::make_portfolio(), search::ExecutionLimits(), 1);
  std::optional<search::Violation> violation;
  for (std::uint64_t i = 0; i < 3'000 && !violation; ++i) violation = searcher.run(i).violation;
  ASSERT_TRUE(violation.has_value());
  EXPECT_EQ(violation->oracle, broken.expects) << violation->message;
}

TEST(OnZookeeperHuntTest, ImpossibleServersAreRefused) {
  lab::LockUnderTest nowhere = production("fair-mutex");
  nowhere.replicas = 0;
  EXPECT_THROW(static_cast<void>(hunt_lock(nowhere, executions(1, "none"))), std::invalid_argument);
  lab::LockUnderTest timeless = production("fair-mutex");
  timeless.tick_time = Duration::zero();
  EXPECT_THROW(static_cast<void>(hunt_lock(timeless, executions(1, "none"))),
               std::invalid_argument);
}

TEST(OnZookeeperHuntTest, RecipesHoldWhenContendersCrash) {
  const lab::HuntReport report = hunt_lock(production("fair-mutex"), executions(200, "crash"));
  EXPECT_TRUE(report.passed()) << report.text();
}

// The contender waits for the znode that it left before its crash.
TEST(OnZookeeperHuntTest, ACrashedContenderBeginsAgain) {
  const lab::LockUnderTest lock = production("zoo-13-own-corpse");
  EXPECT_TRUE(hunt_lock(lock, executions(100, "none")).passed());
  const lab::HuntReport report = hunt_lock(lock, executions(1'000, "crash"));
  ASSERT_FALSE(report.passed());
  EXPECT_EQ(report.failure->violation.oracle, "S1");
  EXPECT_EQ(replay_lock(report.failure->replay, lock).violation.value().oracle, "S1");
}

// Without the guards of multis the C client frees memory that it never allocated (Z108), in
// execution 1177.
TEST(OnZookeeperHuntTest, AMultiOutlastsTheEndOfItsSession) {
  lab::HuntSettings settings = executions(1300, "all");
  settings.faults = lab::faults_called("all", 3);
  settings.size = {3, 2};
  const lab::HuntReport report = hunt_lock(production("read-write-lock"), settings);
  EXPECT_TRUE(report.passed()) << report.text();
}

// After a stall its session had no proof of life for a while, in which it led and lost the
// leadership as fast as the servers answered: a livelock in execution 776.
TEST(OnZookeeperHuntTest, ALatchWaitsForTheContactAfterAStall) {
  lab::HuntSettings settings = executions(1'000, "stall");
  settings.seed = 5;
  settings.size = {2, 1};
  const lab::HuntReport report = hunt_lock(production("leader-latch"), settings);
  EXPECT_TRUE(report.passed()) << report.text();
}

// The judge knows whose grants end with a crash, although this contender does not announce its
// acquires.
TEST(OnZookeeperHuntTest, CohortsHoldWhenContendersCrash) {
  const lab::HuntReport report = hunt_lock(production("cohort-mutex"), executions(200, "crash"));
  EXPECT_TRUE(report.passed()) << report.text();
}

// A client is told that its session has ended, and a leader change undoes that end: its release may
// report a lost grant although it has deleted the znode itself. Execution 2577 does so.
TEST(OnZookeeperHuntTest, AnUndoneEndOfASessionIsNoFalseRelease) {
  lab::HuntSettings settings = executions(2'600, "all");
  settings.faults = lab::faults_called("all", 3);
  settings.seed = 4'223'665'149;
  settings.size = {3, 1};
  const lab::HuntReport report =
      hunt_lock(production("read-write-lock-on-three-servers"), settings);
  EXPECT_TRUE(report.passed()) << report.text();
}

TEST(OnZookeeperHuntTest, TheSameSeedGivesTheSameHash) {
  const lab::LockUnderTest lock = production("fair-mutex");
  const lab::HuntSettings settings = executions(30, "all");
  EXPECT_EQ(hunt_lock(lock, settings).trace_hash, hunt_lock(lock, settings).trace_hash);
}

}  // namespace
}  // namespace lockstep::hunted
