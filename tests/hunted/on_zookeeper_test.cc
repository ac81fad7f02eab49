#include "on_zookeeper.h"

#include <gtest/gtest.h>

#include <string_view>

#include "lockstep/lab/hunt.h"
#include "lockstep/lab/replay.h"
#include "scenarios/registry.h"

// What is hunted is what ships: the production backend and the C client in the simulated world.

namespace lockstep::hunted {
namespace {

lab::LockUnderTest production(std::string_view scenario) {
  const scenarios::Scenario* const found = scenarios::find(scenario);
  if (!found) throw std::invalid_argument("no scenario of that name");
  return on_zookeeper(found->lock());
}

lab::HuntSettings executions(std::uint64_t count, const char* faults) {
  lab::HuntSettings settings;
  settings.executions = count;
  settings.faults = lab::faults_called(faults, 2);
  return settings;
}

class OnZookeeperTest : public ::testing::TestWithParam<const char*> {};

TEST_P(OnZookeeperTest, RecipesHold) {
  const lab::HuntReport report = hunt_lock(production(GetParam()), executions(60, "all"));
  EXPECT_TRUE(report.passed()) << report.text();
  EXPECT_GT(report.judged.of(search::Oracle::kS4), 0u);
}

INSTANTIATE_TEST_SUITE_P(Recipes, OnZookeeperTest,
                         ::testing::Values("fair-mutex", "fair-mutex-blocking", "unfair-mutex",
                                           "read-write-lock", "semaphore", "recursive-mutex",
                                           "multi-lock", "revocable-mutex"),
                         [](const auto& name) {
                           std::string text = name.param;
                           std::erase(text, '-');
                           return text;
                         });

// The same oracles catch a broken lock there.
TEST(OnZookeeperHuntTest, ABrokenLockFalls) {
  const scenarios::Scenario& broken = *scenarios::find("textbook-a");
  const lab::LockUnderTest lock = on_zookeeper(broken.lock());
  lab::HuntSettings settings = executions(3'000, "all");
  settings.size = broken.size;
  const lab::HuntReport report = hunt_lock(lock, settings);
  ASSERT_FALSE(report.passed());
  EXPECT_EQ(report.failure->violation.oracle, broken.expects);
  EXPECT_TRUE(report.failure->replay.find("textbook-a+zookeeper") != std::string::npos);
}

TEST(OnZookeeperHuntTest, TheSameSeedGivesTheSameHash) {
  const lab::LockUnderTest lock = production("fair-mutex");
  const lab::HuntSettings settings = executions(30, "all");
  EXPECT_EQ(hunt_lock(lock, settings).trace_hash, hunt_lock(lock, settings).trace_hash);
}

}  // namespace
}  // namespace lockstep::hunted
