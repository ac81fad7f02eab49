#include "lockstep/search/shrink_scenario.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hunting.h"
#include "lockstep/search/report.h"

namespace lockstep::search {
namespace {

using unit::kZoo01;
using unit::kZoo07;

Scene scene_of(std::string_view name, std::uint32_t clients, std::uint32_t rounds) {
  const scenarios::Scenario* const scenario = scenarios::find(name);
  const auto make = [scenario](std::uint32_t c, std::uint32_t r) {
    return scenario->make(lab::ScenarioSize{c, r});
  };
  return {std::string(name), clients, rounds, make};
}

Found found_in(const Scene& scene, const ExecutionLimits& limits) {
  HuntOptions options;
  options.limits = limits;
  options.seed = 5;
  options.make_program = [&] { return scene.program(); };
  options.make_strategy = &make_portfolio;
  return unit::hunt(options).found.value();
}

TEST(ShrinkSceneTest, BugThatNeedsOneCutIsShownInASmallerSceneWithJustThat) {
  const Scene scene = scene_of(kZoo07, 4, 3);
  ExecutionLimits limits{.faults = fakezk::FaultPlan::all(2)};
  const Found found = found_in(scene, limits);
  const ShrunkScene shrunk = shrink_scene(scene, limits, "L1", found.deviations);
  EXPECT_LT(shrunk.clients, 4U);
  EXPECT_EQ(shrunk.rounds, 1U);
  EXPECT_EQ(shrunk.limits.faults.total(), 1U);
  EXPECT_LE(shrunk.schedule.deviations.size(), 3U);
  const auto program = scene.make(shrunk.clients, shrunk.rounds);
  const Recording again = record(*program, shrunk.limits, shrunk.schedule.deviations);
  ASSERT_TRUE(again.outcome.violation.has_value());
  EXPECT_EQ(again.outcome.violation->oracle, "L1");
  EXPECT_EQ(again.outcome.trace_hash, shrunk.schedule.outcome.trace_hash);
}

TEST(ShrinkSceneTest, BugThatNeedsNoFaultIsShownWithoutFaults) {
  const Scene scene = scene_of(kZoo01, 3, 1);
  ExecutionLimits limits;
  const Found found = found_in(scene, limits);
  const ShrunkScene shrunk = shrink_scene(scene, limits, "L1", found.deviations);
  EXPECT_EQ(shrunk.clients, 2U);  // A single client has no predecessor.
  EXPECT_FALSE(shrunk.limits.faults.any());
}

// Shrinking step by step from there would exhaust the budget.
TEST(ShrinkSceneTest, LargeSceneBeginsInASmallOne) {
  const Scene scene = scene_of(kZoo07, 64, 10);
  ExecutionLimits limits{.faults = fakezk::FaultPlan::all(2)};
  const Found found = found_in(scene, limits);
  const ShrunkScene shrunk = shrink_scene(scene, limits, "L1", found.deviations);
  EXPECT_LE(shrunk.clients, 2U);
  EXPECT_EQ(shrunk.rounds, 1U);
  EXPECT_LE(shrunk.schedule.deviations.size(), 3U);
}

ShrunkScene shrunk_from_four_clients(std::string_view name, const std::string& oracle) {
  const Scene scene = scene_of(name, 4, 3);
  ExecutionLimits limits{.faults = fakezk::FaultPlan::all(2)};
  const Found found = found_in(scene, limits);
  EXPECT_EQ(found.outcome.violation->oracle, oracle);
  ShrunkScene shrunk = shrink_scene(scene, limits, oracle, found.deviations);
  const auto program = scene.make(shrunk.clients, shrunk.rounds);
  const Recording again = record(*program, shrunk.limits, shrunk.schedule.deviations);
  EXPECT_EQ(again.outcome.trace_hash, shrunk.schedule.outcome.trace_hash);
  return shrunk;
}

// The hunts in small scenes try only the kind of fault that has struck.
TEST(ShrinkSceneTest, ARareFaultIsHuntedAloneInSmallerScenes) {
  const ShrunkScene shrunk = shrunk_from_four_clients("textbook-c-parent", "crash");
  EXPECT_EQ(shrunk.clients, 1U);
  EXPECT_EQ(shrunk.rounds, 1U);
}

// With three rounds per client, one deviation is enough. With a second deviation, one round is.
TEST(ShrinkSceneTest, AFewDeviationsMoreAreWorthHalfOfTheSteps) {
  const ShrunkScene shrunk = shrunk_from_four_clients("zoo-25-sequence-overflow", "S1");
  EXPECT_EQ(shrunk.rounds, 1U);
  EXPECT_EQ(shrunk.schedule.deviations.size(), 2U);
  EXPECT_LT(shrunk.schedule.outcome.steps, 100U);
}

// Breaks L1 with two clients, and with one in its first execution only.
class OnceInASmallScene final : public Trials {
 public:
  Trial run(std::uint32_t clients, std::uint32_t, const ExecutionLimits&,
            const std::vector<fakezk::Deviation>& deviations) override {
    Trial trial;
    trial.deviations = deviations;
    const bool breaks = clients == 2 ? !deviations.empty() : small_runs_++ == 0;
    if (breaks) trial.outcome.violation = Violation{"L1", "it waits", 1};
    return trial;
  }
  Caught hunt(std::uint32_t, std::uint32_t, const ExecutionLimits&, const ShortHunt&) override {
    return {};
  }
  std::vector<fakezk::Event> faults(std::uint32_t, std::uint32_t, const ExecutionLimits&,
                                    const std::vector<fakezk::Deviation>&) override {
    return {};
  }

 private:
  int small_runs_ = 0;
};

TEST(ShrinkSceneTest, ASmallerSceneThatDoesNotBreakItAgainIsNotTaken) {
  OnceInASmallScene trials;
  Scene scene;
  scene.clients = 2;
  scene.trials = &trials;
  const std::vector<fakezk::Deviation> one = {{3, {false, 1}}};
  const ShrunkScene shrunk = shrink_scene(scene, ExecutionLimits(), "L1", one);
  EXPECT_EQ(shrunk.clients, 2U);
  EXPECT_TRUE(shrunk.schedule.outcome.violation);
}

// Breaks L1 with all clients if there is a deviation, and with fewer in any schedule.
class NeedsAllClients final : public Trials {
 public:
  explicit NeedsAllClients(std::uint32_t all) : all_(all) {}
  Trial run(std::uint32_t clients, std::uint32_t, const ExecutionLimits&,
            const std::vector<fakezk::Deviation>& deviations) override {
    Trial trial;
    trial.deviations = deviations;
    if (clients < all_ || !deviations.empty()) {
      trial.outcome.violation = Violation{"L1", "it waits", 1};
    }
    return trial;
  }
  Caught hunt(std::uint32_t clients, std::uint32_t rounds, const ExecutionLimits& limits,
              const ShortHunt&) override {
    Caught caught;
    if (clients < all_) caught.trial = run(clients, rounds, limits, {});
    return caught;
  }
  std::vector<fakezk::Event> faults(std::uint32_t, std::uint32_t, const ExecutionLimits&,
                                    const std::vector<fakezk::Deviation>&) override {
    return {};
  }

 private:
  std::uint32_t all_;
};

// A barrier for three clients waits forever with two.
TEST(ShrinkSceneTest, AScenarioThatNeedsAllClientsKeepsThem) {
  for (const std::uint32_t clients : {3U, 64U}) {
    NeedsAllClients trials(clients);
    Scene scene;
    scene.clients = clients;
    scene.trials = &trials;
    const std::vector<fakezk::Deviation> one = {{3, {false, 1}}};
    const ShrunkScene shrunk = shrink_scene(scene, ExecutionLimits(), "L1", one);
    EXPECT_EQ(shrunk.clients, clients);
    EXPECT_EQ(shrunk.schedule.deviations.size(), 1U);
  }
}

TEST(ShrinkSceneTest, StaysWithinItsBudgetOfSteps) {
  const Scene scene = scene_of(kZoo07, 4, 3);
  ExecutionLimits limits{.faults = fakezk::FaultPlan::all(2)};
  const Found found = found_in(scene, limits);
  const ShrunkScene first_only = shrink_scene(scene, limits, "L1", found.deviations, {.steps = 1});
  EXPECT_EQ(first_only.clients, 4U);
  EXPECT_EQ(first_only.rounds, 3U);
  EXPECT_EQ(first_only.schedule.executions, 1U);
}

TEST(ShrinkSceneTest, StaysWithinItsBudgetAndIsDeterministic) {
  const Scene scene = scene_of(kZoo07, 4, 3);
  ExecutionLimits limits{.faults = fakezk::FaultPlan::all(2)};
  const Found found = found_in(scene, limits);
  const ShrunkScene schedule_only =
      shrink_scene(scene, limits, "L1", found.deviations, {.executions = 4});
  EXPECT_EQ(schedule_only.clients, 4U);
  EXPECT_EQ(schedule_only.rounds, 3U);
  const ShrunkScene one = shrink_scene(scene, limits, "L1", found.deviations);
  const ShrunkScene other = shrink_scene(scene, limits, "L1", found.deviations);
  EXPECT_EQ(other.schedule.deviations, one.schedule.deviations);
  EXPECT_EQ(other.clients, one.clients);
}

}  // namespace
}  // namespace lockstep::search
