#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "lab/hunts.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/lab/hunt.h"
#include "lockstep/search/program.h"
#include "scenarios/registry.h"
#include "search/hunting.h"

namespace lockstep::scenarios {
namespace {

TEST(ScenariosTest, EveryScenarioIsFoundByItsUniqueName) {
  std::set<std::string_view> names;
  for (const Scenario& scenario : all()) {
    EXPECT_TRUE(names.insert(scenario.name).second) << scenario.name;
    EXPECT_EQ(find(scenario.name), &scenario);
  }
  EXPECT_EQ(find("no-such-scenario"), nullptr);
  EXPECT_EQ(find(""), nullptr);
}

TEST(ScenariosTest, EveryScenarioHasASummaryAndAnExpectation) {
  const std::set<std::string_view> kinds = {"recipe", "textbook", "zoo"};
  for (const Scenario& scenario : all()) {
    EXPECT_TRUE(kinds.contains(scenario.kind)) << scenario.name;
    const bool passes = scenario.expects == "pass";
    EXPECT_EQ(passes, scenario.kind == "recipe") << scenario.name;
    const bool is_oracle = search::oracle_called(scenario.expects).has_value();
    EXPECT_TRUE(passes || is_oracle || scenario.expects.starts_with("user:")) << scenario.name;
    EXPECT_TRUE(scenario.summary.ends_with('.')) << scenario.name;
    EXPECT_GE(scenario.size.clients, 1U) << scenario.name;
    EXPECT_GE(scenario.size.rounds, 1U) << scenario.name;
    if (scenario.kind != "recipe") {
      EXPECT_TRUE(scenario.name.starts_with(scenario.kind)) << scenario.name;
    }
  }
}

// An oracle that no lock can break proves nothing. Two oracles have their proof elsewhere. A lock
// that breaks only the order of the places (L2) also breaks S1 or S3, except by hand
// (ReadWriteOraclesTest); and a program that is not deterministic (misuse) is no lock (RepeatTest).
TEST(ScenariosTest, EveryOracleIsBrokenByALock) {
  std::set<std::string_view> broken = {"L2", "misuse"};
  bool by_invariant = false;
  for (const Scenario& scenario : all()) {
    broken.insert(scenario.expects);
    by_invariant = by_invariant || scenario.expects.starts_with("user:");
  }
  for (const search::OracleFacts& oracle : search::oracles()) {
    EXPECT_TRUE(broken.contains(oracle.name)) << oracle.name;
  }
  EXPECT_TRUE(by_invariant);
}

TEST(ScenariosTest, EveryBrokenLockNamesItsOrigin) {
  for (const Scenario& scenario : all()) {
    EXPECT_EQ(scenario.reference.empty(), scenario.kind == "recipe") << scenario.name;
  }
}

TEST(ScenariosTest, EveryScenarioPassesTheDefaultScheduleUnlessItSaysOtherwise) {
  for (const Scenario& scenario : all()) {
    if (scenario.calm_fails) continue;
    // A broken lock is kept for the bug that it shows in its own size.
    const std::uint32_t most_rounds = scenario.kind == "recipe" ? 3 : scenario.size.rounds;
    for (std::uint32_t rounds = 1; rounds <= most_rounds; ++rounds) {
      const auto program = scenario.make(lab::ScenarioSize{scenario.size.clients, rounds});
      fakezk::World world(program->servers());
      fakezk::Calm calm;
      const auto outcome = execute(world, *program, calm, search::ExecutionLimits());
      EXPECT_FALSE(outcome.violation.has_value())
          << scenario.name << ": " << outcome.violation->message;
    }
  }
}

// The most steps of an execution grow with its size: each release of a lock that is one znode wakes
// all that wait.
TEST(ScenariosTest, ALargeSizeIsNoLivelock) {
  for (const std::string_view name : {"unfair-mutex", "semaphore"}) {
    search::HuntOptions options = unit::hunt_options(name, 8);
    options.make_program = [found = find(name)] { return found->make({64, 10}); };
    const search::HuntResult result = unit::hunt(options);
    EXPECT_FALSE(result.found) << name << ": " << result.found->outcome.violation->message;
  }
}

TEST(ScenariosTest, NoDefaultSizeChangesTheMostSteps) {
  constexpr std::uint32_t kMost = search::ExecutionLimits().steps;
  for (const Scenario& scenario : all()) {
    EXPECT_EQ(scenario.make(scenario.size)->most_steps(kMost), kMost) << scenario.name;
  }
}

TEST(ScenariosTest, BugWithoutARaceFailsOnTheDefaultSchedule) {
  for (const Scenario& scenario : all()) {
    if (!scenario.calm_fails) continue;
    fakezk::Calm calm;
    const auto program = scenario.make(scenario.size);
    fakezk::World world(program->servers());
    const auto outcome = execute(world, *program, calm, search::ExecutionLimits());
    ASSERT_TRUE(outcome.violation.has_value()) << scenario.name;
    EXPECT_EQ(outcome.violation->oracle, scenario.expects) << scenario.name;
  }
}

class ScenarioHuntTest : public testing::TestWithParam<Scenario> {};

// The address sanitizer takes ten times as long, and fewer executions show it the recipes' memory.
#ifdef LOCKSTEP_POISON_FRAMES
constexpr std::uint64_t kExecutionsOfRecipe = 3000;
#else
constexpr std::uint64_t kExecutionsOfRecipe = 20'000;
#endif

TEST_P(ScenarioHuntTest, FindsTheExpectedViolation) {
  const Scenario& scenario = GetParam();
  const std::uint64_t executions = scenario.expects == "pass" ? kExecutionsOfRecipe : 20'000;
  search::HuntOptions options = unit::hunt_options(scenario.name, executions);
  options.make_strategy = &search::make_portfolio;
  const search::HuntResult result = unit::hunt(options);
  const std::string found = result.found ? result.found->outcome.violation->oracle : "pass";
  EXPECT_EQ(found, scenario.expects);
}

INSTANTIATE_TEST_SUITE_P(Each, ScenarioHuntTest, testing::ValuesIn(all()), [](const auto& tested) {
  std::string name(tested.param.name);
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace lockstep::scenarios

namespace lockstep::lab {
namespace {

TEST(HuntLockTest, ReportShowsTheRaceAndHowToRepeatIt) {
  HuntSettings settings{.size = lab::ScenarioSize{2, 1}};
  const HuntReport report = hunt_lock("no-mutex", &contend_for<EverybodysMutex>, settings);
  ASSERT_FALSE(report.passed());
  EXPECT_EQ(report.failure->violation.oracle, "S1");
  EXPECT_LE(report.failure->deviations, report.failure->original_deviations);
  const std::string text = report.text();
  EXPECT_NE(text.find("no-mutex breaks S1 in execution"), text.npos) << text;
  EXPECT_NE(text.find(report.failure->violation.message), text.npos) << text;
  EXPECT_NE(text.find("HOLDS /lock/x-lock-0000000001"), text.npos) << text;
  EXPECT_NE(text.find("lockstep1/no-mutex/c2r1/none/"), text.npos) << text;

  search::ReplayString replay;
  ASSERT_EQ(search::ReplayString::parse(report.failure->replay, replay), "");
  LockScenario scenario(scenarios::contention(&contend_for<EverybodysMutex>), settings.size);
  search::ExecutionLimits limits{.faults = replay.faults};
  const search::Recording recording = search::record(scenario, limits, replay.deviations);
  EXPECT_EQ(recording.outcome.trace_hash, replay.trace_hash);
  EXPECT_EQ(recording.checks, replay.checks);
  EXPECT_EQ(recording.lanes, report.failure->lanes);
}

TEST(HuntLockTest, SoundLockPasses) {
  HuntSettings settings{.executions = 500};
  const HuntReport report = hunt_lock("fair-mutex", &contend_for<FairMutex>, settings);
  EXPECT_TRUE(report.passed()) << report.text();
  EXPECT_TRUE(report.text().starts_with("fair-mutex: no violation in 500 executions\nJudged: S1 "))
      << report.text();
  EXPECT_GE(report.judged.of(search::Oracle::kS1), 1000U);
}

}  // namespace
}  // namespace lockstep::lab
