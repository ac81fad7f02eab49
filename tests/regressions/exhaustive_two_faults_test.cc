// The reductions agree on every trace, also when two faults meet.
#include <gtest/gtest.h>

#include <string_view>

#include "lockstep/search/exhaustive.h"
#include "lockstep/search/schedule.h"
#include "scenarios/registry.h"

namespace lockstep::scenarios {
namespace {

using namespace search;

ExhaustiveResult explore(std::string_view faults, Reduction reduction) {
  const auto program = find("fair-mutex")->make(lab::ScenarioSize{2, 1});
  ExhaustiveOptions options;
  EXPECT_EQ(parse_fault_kinds(faults, options.limits.faults), "");
  options.limits.faults.set_total(2);
  options.reduction = reduction;
  return search_exhaustively(*program, options);
}

void expect_same_traces(std::string_view faults) {
  const ExhaustiveResult sleep = explore(faults, Reduction::kSleep);
  const ExhaustiveResult source = explore(faults, Reduction::kSource);
  EXPECT_TRUE(sleep.exhausted);
  EXPECT_TRUE(source.exhausted);
  EXPECT_EQ(source.traces, sleep.traces);
  EXPECT_EQ(source.trace_set_hash, sleep.trace_set_hash);
  EXPECT_EQ(source.state_hash, sleep.state_hash);
}

TEST(ExhaustiveTwoFaultsTest, ReductionsAgreeOnACrashAndATimer) {
  expect_same_traces("crash,timer");
}
TEST(ExhaustiveTwoFaultsTest, ReductionsAgreeOnAKilledSessionAndACut) {
  expect_same_traces("kill-session,cut");
}

}  // namespace
}  // namespace lockstep::scenarios
