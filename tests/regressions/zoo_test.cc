// Every broken lock has its minimal schedule in a file of its own, regressions/zoo/<scenario>.txt:
// the replay string that a hunt has found and made small. It is replayed here; schedules.sh writes
// all of them anew after a change of the server, the explorer or the lock.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "lockstep/fakezk/explore/report.h"
#include "scenarios/registry.h"

namespace lockstep {
namespace {

constexpr const char* kAnew =
    "; if that is intended: tests/regressions/schedules.sh build/release/bin/lockstep";

class ZooTest : public testing::TestWithParam<scenarios::Scenario> {};

std::filesystem::path file_of(const scenarios::Scenario& scenario) {
  return std::filesystem::path(LOCKSTEP_SCHEDULES) / (std::string(scenario.name) + ".txt");
}

TEST_P(ZooTest, MinimalScheduleBreaksWhatTheScenarioSays) {
  const scenarios::Scenario& scenario = GetParam();
  std::ifstream file(file_of(scenario));
  std::string text;
  ASSERT_TRUE(std::getline(file, text)) << file_of(scenario) << kAnew;
  fakezk::ReplayString schedule;
  ASSERT_EQ(fakezk::ReplayString::parse(text, schedule), "");
  EXPECT_EQ(schedule.scenario, scenario.name);

  const auto program = scenario.make({schedule.clients, schedule.rounds});
  fakezk::ExecutionLimits limits;
  limits.faults = schedule.faults;
  const fakezk::Recording recording = fakezk::record(*program, limits, schedule.deviations);
  ASSERT_TRUE(recording.outcome.violation) << recording.lanes << kAnew;
  EXPECT_EQ(recording.outcome.violation->oracle, scenario.expects) << recording.lanes << kAnew;
  EXPECT_EQ(recording.outcome.trace_hash, schedule.trace_hash) << recording.lanes << kAnew;
  EXPECT_EQ(recording.checks, schedule.checks) << kAnew;
}

std::vector<scenarios::Scenario> broken_locks() {
  std::vector<scenarios::Scenario> broken;
  std::ranges::copy_if(scenarios::all(), std::back_inserter(broken),
                       [](const auto& scenario) { return scenario.kind != "recipe"; });
  return broken;
}

std::string name_of(const testing::TestParamInfo<scenarios::Scenario>& info) {
  std::string name(info.param.name);
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Schedules, ZooTest, testing::ValuesIn(broken_locks()), name_of);

TEST(ZooFilesTest, EverySchedulesFileIsOfAScenario) {
  for (const auto& entry : std::filesystem::directory_iterator(LOCKSTEP_SCHEDULES)) {
    EXPECT_TRUE(scenarios::find(entry.path().stem().string())) << entry.path();
  }
}

}  // namespace
}  // namespace lockstep
