#include <gtest/gtest.h>

#include <set>

#include "lockstep/fair_mutex.h"
#include "lockstep/fakezk/explore/hunt.h"
#include "lockstep/fakezk/explore/report.h"
#include "scenarios/registry.h"

namespace lockstep::fakezk {
namespace {

constexpr const char* kZoo01 = "zoo-01-wait-after-missing-predecessor";
constexpr const char* kZoo07 = "zoo-07-create-without-guid";

// The workers in an order in which no thread would come.
class LastFirst final : public Workers {
 public:
  void each(std::uint32_t count, const std::function<void(std::uint32_t)>& work) override {
    while (count > 0) work(--count);
  }
};

HuntOptions options_for(const char* name, std::uint64_t executions, std::uint32_t faults = 2) {
  const scenarios::Scenario* const scenario = scenarios::find(name);
  HuntOptions options;
  options.limits.faults = FaultPlan::all(faults);
  options.seed = 7;
  options.executions = executions;
  options.make_program = [scenario] { return scenario->make(scenario->size); };
  options.make_strategy = &make_portfolio;
  return options;
}

HuntResult run(const HuntOptions& options) {
  OneByOne workers;
  return hunt(options, workers);
}

TEST(HuntTest, TheResultDoesNotDependOnTheNumberOfJobs) {
  for (const char* const name : {"fair-mutex", kZoo07}) {
    HuntOptions options = options_for(name, 3000);
    const HuntResult alone = run(options);
    for (const std::uint32_t jobs : {2U, 5U}) {
      options.jobs = jobs;
      LastFirst workers;
      const HuntResult together = hunt(options, workers);
      EXPECT_EQ(together.trace_hash, alone.trace_hash) << name;
      EXPECT_EQ(together.executions, alone.executions) << name;
      ASSERT_EQ(together.found.has_value(), alone.found.has_value());
      if (alone.found) {
        EXPECT_EQ(together.found->deviations, alone.found->deviations);
      }
    }
  }
}

TEST(HuntTest, PartsAddUpToTheWhole) {
  HuntOptions options = options_for("fair-mutex", 2500);
  const HuntResult whole = run(options);
  options.executions = 900;
  const HuntResult first = run(options);
  options.first = 900;
  options.executions = 1600;
  const HuntResult second = run(options);
  EXPECT_EQ(first.trace_hash + second.trace_hash, whole.trace_hash);
  EXPECT_EQ(first.steps + second.steps, whole.steps);
}

TEST(HuntTest, ExecutionZeroIsCalm) {
  for (const scenarios::Scenario& scenario : scenarios::all()) {
    const HuntResult result = run(options_for(scenario.name.data(), 1));
    EXPECT_FALSE(result.found) << scenario.name;
  }
}

TEST(HuntTest, TimeEndsAHuntBetweenEpochs) {
  HuntOptions options = options_for("fair-mutex", 1'000'000);
  options.keep_going = [](std::uint64_t done) { return done < 2000; };
  const HuntResult result = run(options);
  EXPECT_EQ(result.stopped_by, HuntResult::StoppedBy::kTime);
  EXPECT_EQ(result.executions, 2048U);
}

TEST(HuntTest, EveryStrategyFindsBothTwins) {
  for (const StrategyName& strategy : strategies()) {
    for (const char* const name : {kZoo01, kZoo07}) {
      HuntOptions options = options_for(name, 10'000);
      options.make_strategy = strategy.make;
      const HuntResult result = run(options);
      ASSERT_TRUE(result.found) << strategy.name << ' ' << name;
      EXPECT_EQ(result.found->outcome.violation->oracle, scenarios::find(name)->expects);
    }
  }
}

TEST(HuntTest, ZeroFaultsAreNoFaults) { EXPECT_FALSE(run(options_for(kZoo07, 3000, 0)).found); }

TEST(ShrinkTest, LeavesAHandfulOfDeviationsThatBreakTheSameGuarantee) {
  for (const char* const name : {kZoo01, kZoo07}) {
    const HuntOptions options = options_for(name, 10'000);
    const HuntResult result = run(options);
    ASSERT_TRUE(result.found);
    const auto program = options.make_program();
    const std::string oracle = result.found->outcome.violation->oracle;
    const Shrunk shrunk = shrink(*program, options.limits, oracle, result.found->deviations);
    EXPECT_LE(shrunk.deviations.size(), 3U);
    EXPECT_EQ(shrunk.outcome.violation->oracle, oracle);
    World world;
    Replay replay(shrunk.deviations);
    EXPECT_EQ(execute(world, *program, replay, options.limits).trace_hash,
              shrunk.outcome.trace_hash);
  }
}

TEST(ShrinkTest, KeepsToItsBudget) {
  const HuntOptions options = options_for(kZoo01, 10'000);
  const HuntResult result = run(options);
  const auto program = options.make_program();
  EXPECT_LE(shrink(*program, options.limits, "L1", result.found->deviations, 5).executions, 5U);
}

TEST(ReportTest, ShowsWhoWaitsForEverAndReplays) {
  const HuntOptions options = options_for(kZoo01, 10'000);
  const HuntResult result = run(options);
  const auto program = options.make_program();
  const Failure failure = explain(*program, options.limits, *result.found, kZoo01, 2, 1);
  EXPECT_NE(failure.lanes.find("WAITS FOR EVER"), std::string::npos);
  EXPECT_EQ(failure.lanes.find("_c_"), std::string::npos) << "GUIDs are left out";

  ReplayString parsed;
  ASSERT_EQ(ReplayString::parse(failure.replay, parsed), "");
  const Recording again = record(*program, options.limits, parsed.deviations);
  EXPECT_EQ(again.outcome.trace_hash, parsed.trace_hash);
  EXPECT_EQ(again.checks, parsed.checks);
}

TEST(LanesTest, LeaveGuidsOut) {
  EXPECT_EQ(without_guids("/l/_c_01234567-89ab-cdef-0123-456789abcdef-lock-0000000001 gone"),
            "/l/lock-0000000001 gone");
  EXPECT_EQ(without_guids("/l/_c_short"), "/l/_c_short");
}

TEST(ScenariosTest, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const scenarios::Scenario& scenario : scenarios::all()) {
    EXPECT_TRUE(names.insert(scenario.name).second) << scenario.name;
  }
}

}  // namespace
}  // namespace lockstep::fakezk
