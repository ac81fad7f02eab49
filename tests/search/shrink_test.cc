#include "lockstep/search/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hunting.h"
#include "lockstep/search/schedule.h"

namespace lockstep::search {
namespace {

using unit::hunt_options;
using unit::kZoo01;
using unit::kZoo07;

// A schedule with a violation, and many deviations that are irrelevant to it.
Found long_violation(std::string_view scenario) {
  const HuntOptions options = hunt_options(scenario, 0);
  Searcher searcher(options.make_program(), options.make_strategy(), options.limits, options.seed);
  for (std::uint64_t i = 1;; ++i) {
    Outcome outcome = searcher.run(i);
    if (outcome.violation && searcher.deviations().size() >= 10) {
      return Found{i, outcome, searcher.deviations()};
    }
  }
}

class ShrinkTest : public ::testing::TestWithParam<std::string_view> {
 protected:
  Shrunk shrink(std::vector<fakezk::Deviation> deviations, ShrinkBudget budget = {}) {
    return search::shrink(*program_, options_.limits, "L1", std::move(deviations), budget);
  }
  Outcome replay(const std::vector<fakezk::Deviation>& deviations) {
    fakezk::World world(program_->servers());
    Replay schedule(deviations);
    return execute(world, *program_, schedule, options_.limits);
  }

  const HuntOptions options_ = hunt_options(GetParam(), 0);
  const std::unique_ptr<Program> program_ = options_.make_program();
  const Found found_ = long_violation(GetParam());
};

TEST_P(ShrinkTest, LeavesAHandfulOfDeviationsThatBreakTheSameGuarantee) {
  ASSERT_EQ(found_.outcome.violation->oracle, "L1");
  const Shrunk shrunk = shrink(found_.deviations);
  EXPECT_LE(shrunk.deviations.size(), 3U);
  EXPECT_LE(shrunk.outcome.steps, found_.outcome.steps);
  ASSERT_TRUE(shrunk.outcome.violation.has_value());
  EXPECT_EQ(shrunk.outcome.violation->oracle, "L1");
  const Outcome replayed = replay(shrunk.deviations);
  EXPECT_EQ(replayed.trace_hash, shrunk.outcome.trace_hash);
  EXPECT_EQ(replayed.violation->message, shrunk.outcome.violation->message);
}

TEST_P(ShrinkTest, IsDeterministic) {
  const Shrunk one = shrink(found_.deviations);
  const Shrunk other = shrink(found_.deviations);
  EXPECT_EQ(other.deviations, one.deviations);
  EXPECT_EQ(other.executions, one.executions);
  EXPECT_EQ(other.outcome.trace_hash, one.outcome.trace_hash);
}

TEST_P(ShrinkTest, KeepsNoDeviationThatCouldBeLeftOut) {
  const Shrunk shrunk = shrink(found_.deviations);
  for (std::size_t i = 0; i < shrunk.deviations.size(); ++i) {
    std::vector<fakezk::Deviation> fewer = shrunk.deviations;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    const Outcome outcome = replay(fewer);
    EXPECT_FALSE(outcome.violation && outcome.violation->oracle == "L1") << i;
  }
  const Shrunk again = shrink(shrunk.deviations);
  EXPECT_EQ(again.deviations, shrunk.deviations);
}

// An execution of a large scene takes thousands of steps.
TEST_P(ShrinkTest, StaysWithinItsBudgetOfSteps) {
  const std::uint64_t most = options_.limits.steps;  // The execution exceeds it.
  for (const std::uint64_t budget : {1u, 100u, 1'000u}) {
    const Shrunk shrunk = shrink(found_.deviations, {.steps = budget});
    EXPECT_LT(shrunk.steps, budget + most);
    EXPECT_LE(shrunk.executions, budget);
    EXPECT_EQ(replay(shrunk.deviations).violation->oracle, "L1");
  }
}

TEST_P(ShrinkTest, StaysWithinItsBudget) {
  for (const std::uint32_t budget : {1u, 2u, 20u}) {
    const Shrunk shrunk = shrink(found_.deviations, {.executions = budget});
    EXPECT_LE(shrunk.executions, budget);
    EXPECT_LE(shrunk.deviations.size(), found_.deviations.size());
    EXPECT_EQ(replay(shrunk.deviations).violation->oracle, "L1");
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, ShrinkTest, ::testing::Values(kZoo01, kZoo07),
                         [](const auto& scenario) {
                           return std::string(scenario.param.substr(0, 3)) +
                                  std::string(scenario.param.substr(4, 2));
                         });

HuntOptions portfolio(std::string_view scenario, std::uint64_t seed) {
  HuntOptions options = hunt_options(scenario, 20'000);
  options.make_strategy = &make_portfolio;
  options.seed = seed;
  return options;
}

std::vector<fakezk::Deviation> without(std::vector<fakezk::Deviation> deviations, std::size_t first,
                                       std::size_t second) {
  deviations.erase(deviations.begin() + static_cast<std::ptrdiff_t>(second));
  deviations.erase(deviations.begin() + static_cast<std::ptrdiff_t>(first));
  return deviations;
}

struct Hunted {
  std::string_view scenario;
  std::uint64_t seed;
};

// A switch and the switch back: leaving out only one of them changes the meaning of the other.
// Once, reports showed five to ten such deviations.
TEST(ShrinkPairsTest, KeepsNoTwoDeviationsThatCouldBeLeftOut) {
  for (const Hunted& hunted :
       {Hunted{"textbook-e-reentry", 7}, Hunted{"textbook-e-reentry", 2},
        Hunted{"zoo-29-held-after-expiry", 1}, Hunted{"zoo-36-wrong-token", 2},
        Hunted{"zoo-03-stale-wake-flag", 7}, Hunted{"zoo-44-takes-over-unseen", 7}}) {
    const HuntOptions options = portfolio(hunted.scenario, hunted.seed);
    const HuntResult result = unit::hunt(options);
    ASSERT_TRUE(result.found) << hunted.scenario;
    const std::string oracle = result.found->outcome.violation->oracle;
    const auto program = options.make_program();
    const Shrunk shrunk = shrink(*program, options.limits, oracle, result.found->deviations);
    EXPECT_LE(shrunk.deviations.size(), 5U) << hunted.scenario;
    fakezk::World world(program->servers());
    for (std::size_t second = 1; second < shrunk.deviations.size(); ++second) {
      for (std::size_t first = 0; first < second; ++first) {
        const std::vector<fakezk::Deviation> fewer = without(shrunk.deviations, first, second);
        Replay schedule(fewer);
        const Outcome outcome = execute(world, *program, schedule, options.limits);
        EXPECT_FALSE(outcome.violation && outcome.violation->oracle == oracle)
            << hunted.scenario << ": " << first << ", " << second;
      }
    }
  }
}

// Once, six deviations were left of this schedule.
TEST(ShrinkPairsTest, LeavesADeviationOutIfAnotherOneMoves) {
  const HuntOptions options = portfolio("zoo-36-wrong-token", 8);
  const HuntResult result = unit::hunt(options);
  ASSERT_TRUE(result.found);
  const std::string oracle = result.found->outcome.violation->oracle;
  const auto program = options.make_program();
  EXPECT_LE(shrink(*program, options.limits, oracle, result.found->deviations).deviations.size(),
            5U);
}

// A schedule of threads has hundreds of deviations, and an execution takes thousands of steps.
// Once, all of the budget went to the first half of such a schedule, and nothing was left out.
TEST(ShrinkLongTest, AFewThatMatterAreFoundAmongHundreds) {
  std::vector<fakezk::Deviation> deviations;
  for (std::uint32_t position = 0; position < 2'400; position += 3) {
    deviations.push_back({.position = position, .choice = {.index = 1}});
  }
  const TrySchedule run = [](const std::vector<fakezk::Deviation>& candidate) {
    Trial trial;
    trial.deviations = candidate;
    trial.outcome.steps = 3'000;
    std::size_t found = 0;
    for (const std::uint32_t position : {150u, 1'350u, 1'800u}) {
      found += std::ranges::count(candidate, position, &fakezk::Deviation::position) > 0 ? 1 : 0;
    }
    if (found == 3) trial.outcome.violation = Violation{"L1", "", 0};
    return trial;
  };
  const Shrunk shrunk = shrink(run, "L1", deviations, {.executions = 700, .steps = 2'100'000});
  EXPECT_EQ(shrunk.deviations.size(), 3U);
}

// Leaving out positions, 38 and 34 deviations were left with this budget.
TEST(ShrinkLongTest, DetoursLeadFarWithFewExecutions) {
  struct Long {
    std::string_view scenario;
    lab::ScenarioSize size;
    std::uint64_t index;
    std::string oracle;
  };
  for (const Long& found : {Long{kZoo07, {6, 4}, 108, "L1"},
                            Long{"zoo-36-wrong-token", {12, 3}, 463, "user:fenced-out"}}) {
    const scenarios::Scenario& scenario = *scenarios::find(found.scenario);
    const ExecutionLimits limits{.faults = fakezk::FaultPlan::all(2)};
    Searcher searcher(scenario.make(found.size), make_random_walk(), limits, 7);
    const Outcome outcome = searcher.run(found.index);
    ASSERT_TRUE(outcome.violation && outcome.violation->oracle == found.oracle) << found.scenario;
    ASSERT_GT(searcher.deviations().size(), 200U);
    const auto program = scenario.make(found.size);
    const Shrunk shrunk =
        shrink(*program, limits, found.oracle, searcher.deviations(), {.executions = 300});
    EXPECT_LE(shrunk.deviations.size(), 10U) << found.scenario;
  }
}

}  // namespace
}  // namespace lockstep::search
