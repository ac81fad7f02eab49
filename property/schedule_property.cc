// Schedules as cases: no schedule breaks the fair mutex. A schedule that breaks a broken twin is
// shrunk to the few deviations that matter.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "lockstep/fair_mutex.h"
#include "lockstep/lab/replay.h"
#include "lockstep/rapidcheck/schedule.h"
#include "scenarios/registry.h"

namespace lockstep {
namespace {

using rapidcheck::Schedule;

lab::ReplayReport run(const lab::LockUnderTest& lock, const fakezk::FaultPlan& faults,
                      const Schedule& schedule) {
  return lab::run_schedule(lock, lab::ScenarioSize{2, 1}, faults, schedule.deviations);
}

RC_GTEST_PROP(ScheduleProperty, NoneBreaksTheFairMutex, (const Schedule& schedule)) {
  const lab::ReplayReport report =
      run(lab::lock_under_test<FairMutex>("fair-mutex"), fakezk::FaultPlan::all(2), schedule);
  if (!report.passed()) RC_FAIL(report.text());
}

RC_GTEST_PROP(ScheduleProperty, IsInTheOrderOfItsPositions, (const Schedule& schedule)) {
  const auto& deviations = schedule.deviations;
  RC_ASSERT(std::ranges::adjacent_find(deviations, std::ranges::greater_equal(),
                                       &fakezk::Deviation::position) == deviations.end());
}

TEST(BrokenTwinSchedule, IsShrunkToWhatMatters) {
  const lab::LockUnderTest lock = scenarios::find("zoo-01-wait-after-missing-predecessor")->lock();
  std::optional<Schedule> smallest;
  const auto judge = [&](const Schedule& schedule) {
    const lab::ReplayReport report = run(lock, fakezk::FaultPlan(), schedule);
    if (report.passed()) return;
    smallest = schedule;  // While shrinking, the last case that fails is the smallest.
    RC_FAIL(report.text());
  };
  rc::detail::TestParams params;
  params.seed = 1;
  params.maxSuccess = 3000;
  const rc::detail::TestResult result =
      rc::detail::checkTestable(judge, rc::detail::TestMetadata(), params);
  rc::detail::FailureResult failure;
  ASSERT_TRUE(result.match(failure));
  ASSERT_TRUE(smallest);
  EXPECT_LE(smallest->deviations.size(), 2U) << search::format_deviations(smallest->deviations);
  EXPECT_NE(failure.description.find("zoo-01-wait-after-missing-predecessor, in this schedule, "
                                     "breaks L1"),
            std::string::npos)
      << failure.description;
}

}  // namespace
}  // namespace lockstep
