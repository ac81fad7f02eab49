#include "lockstep/search/report.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hunting.h"

namespace lockstep::search {
namespace {

using unit::hunt_options;
using unit::kZoo01;

TEST(ReportTest, ShowsWhoWaitsForeverAndHowToRepeatIt) {
  const HuntOptions options = hunt_options(kZoo01, 10'000);
  const HuntResult result = unit::hunt(options);
  ASSERT_TRUE(result.found.has_value());
  const auto program = options.make_program();
  const Scene scene{std::string(kZoo01), 2, 1, [&](std::uint32_t clients, std::uint32_t rounds) {
                      return scenarios::find(kZoo01)->make({clients, rounds});
                    }};
  const Failure failure = explain(scene, options.limits, *result.found);
  EXPECT_EQ(failure.violation.oracle, "L1");
  EXPECT_EQ(failure.original_deviations, result.found->deviations.size());
  EXPECT_LE(failure.deviations, failure.original_deviations);
  EXPECT_NE(failure.lanes.find("WAITS FOR EVER"), std::string::npos) << failure.lanes;
  EXPECT_EQ(failure.lanes.find("_c_"), std::string::npos) << "GUIDs are left out";

  ReplayString parsed;
  ASSERT_EQ(ReplayString::parse(failure.replay, parsed), "");
  EXPECT_EQ(parsed.scenario, kZoo01);
  EXPECT_EQ(parsed.clients, 2U);
  EXPECT_EQ(parsed.rounds, 1U);
  EXPECT_EQ(parsed.faults, failure.faults);
  EXPECT_EQ(parsed.deviations.size(), failure.deviations);
  ExecutionLimits limits{.faults = parsed.faults};
  const Recording again = record(*program, limits, parsed.deviations);
  EXPECT_EQ(again.outcome.trace_hash, parsed.trace_hash);
  EXPECT_EQ(again.checks, parsed.checks);
  EXPECT_EQ(again.checks.size(), failure.steps);
  EXPECT_EQ(again.lanes, failure.lanes);
}

// A string without a check for a step does not claim that the step differs.
TEST(ReportTest, ToleranceGoesOnWhereTheChecksOfAVeryLongExecutionEnd) {
  const HuntOptions options = hunt_options(kZoo01, 1);
  const auto program = options.make_program();
  const Recording calm = record(*program, options.limits, {});
  std::vector<fakezk::Deviation> late = {{4, fakezk::Choice{false, 1}}};
  Recording whole = calm;
  // Some positions offer no alternative.
  for (; whole.outcome.trace_hash == calm.outcome.trace_hash && late[0].position < 20;
       ++late[0].position) {
    whole = record(*program, options.limits, late);
  }
  --late[0].position;
  ASSERT_NE(whole.outcome.trace_hash, calm.outcome.trace_hash);
  ReplayString known;
  known.checks = {whole.checks.begin(), whole.checks.begin() + 3};
  EXPECT_EQ(record(*program, options.limits, late, &known).outcome.trace_hash,
            calm.outcome.trace_hash);
  known.goes_on = true;
  EXPECT_EQ(record(*program, options.limits, late, &known).outcome.trace_hash,
            whole.outcome.trace_hash);
}

}  // namespace
}  // namespace lockstep::search
