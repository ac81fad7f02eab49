// Every broken lock has its minimal schedule in a file, regressions/zoo/<scenario>.txt: the replay
// string of the shortest failure that hunts with a few seeds have found and shrunk. This test
// replays it and finds it again. After an intended change of the server, the explorer or a lock,
// run it with LOCKSTEP_WRITE_SCHEDULES set, which writes all files again:
//
//   LOCKSTEP_WRITE_SCHEDULES=1 build/release/tests/regression_tests --gtest_filter='*ZooTest*'
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "lockstep/search/report.h"
#include "scenarios/registry.h"

namespace lockstep {
namespace {

constexpr const char* kAnew = "; if that is intended, write it again: see zoo_test.cc";
constexpr std::uint64_t kSeeds = 5;
// Readers do not understand a longer one.
constexpr std::size_t kMostDeviations = 6;

class ZooTest : public testing::TestWithParam<scenarios::Scenario> {};

std::filesystem::path file_of(const scenarios::Scenario& scenario) {
  return std::filesystem::path(LOCKSTEP_SCHEDULES) / (std::string(scenario.name) + ".txt");
}

search::ReplayString schedule_of(const scenarios::Scenario& scenario) {
  std::ifstream file(file_of(scenario));
  std::string text;
  EXPECT_TRUE(std::getline(file, text)) << file_of(scenario) << kAnew;
  search::ReplayString schedule;
  EXPECT_EQ(search::ReplayString::parse(text, schedule), "");
  EXPECT_EQ(schedule.scenario, scenario.name);
  return schedule;
}

search::Scene scene_of(const scenarios::Scenario& scenario) {
  search::Scene scene;
  scene.name = scenario.name;
  scene.clients = scenario.size.clients;
  scene.rounds = scenario.size.rounds;
  scene.make = [&scenario](std::uint32_t clients, std::uint32_t rounds) {
    return scenario.make({clients, rounds});
  };
  return scene;
}

// Hunts with the usual settings for the expected oracle, and shrinks the failure.
std::optional<search::Failure> hunt(const scenarios::Scenario& scenario, std::uint64_t seed) {
  search::ExecutionLimits limits{.faults = fakezk::FaultPlan::all(scenario.fault_budget)};
  search::Searcher searcher(scenario.make(scenario.size), search::make_portfolio(), limits, seed);
  for (std::uint64_t execution = 0; execution < scenario.executions; ++execution) {
    search::Found found;
    found.execution = execution;
    found.outcome = searcher.run(execution);
    const auto& violation = found.outcome.violation;
    if (!violation || violation->oracle != scenario.expects) continue;
    found.deviations = searcher.deviations();
    return explain(scene_of(scenario), limits, found);
  }
  return std::nullopt;
}

std::optional<search::Failure> shortest_found(const scenarios::Scenario& scenario) {
  const auto length = [](const search::Failure& failure) {
    return std::tuple(failure.deviations, failure.steps);
  };
  std::optional<search::Failure> shortest;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    std::optional<search::Failure> found = hunt(scenario, seed);
    if (!found || (shortest && length(*shortest) <= length(*found))) continue;
    shortest = std::move(found);
  }
  return shortest;
}

TEST_P(ZooTest, HuntFindsAScheduleThatIsNoLonger) {
  const scenarios::Scenario& scenario = GetParam();
  const std::optional<search::Failure> found = shortest_found(scenario);
  ASSERT_TRUE(found) << "nothing found that breaks " << scenario.expects;
  if (std::getenv("LOCKSTEP_WRITE_SCHEDULES")) {
    std::ofstream(file_of(scenario)) << found->replay << '\n';
  }
  const std::size_t deviations = schedule_of(scenario).deviations.size();
  EXPECT_LE(found->deviations, deviations) << found->replay << kAnew;
  EXPECT_LE(deviations, kMostDeviations) << found->lanes;
}

TEST_P(ZooTest, MinimalScheduleBreaksWhatTheScenarioSays) {
  const scenarios::Scenario& scenario = GetParam();
  const search::ReplayString schedule = schedule_of(scenario);
  const auto program = scenario.make({schedule.clients, schedule.rounds});
  search::ExecutionLimits limits{.faults = schedule.faults};
  const search::Recording recording = search::record(*program, limits, schedule.deviations);
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

TEST(ZooFilesTest, EveryScheduleFileBelongsToAScenario) {
  for (const auto& entry : std::filesystem::directory_iterator(LOCKSTEP_SCHEDULES)) {
    EXPECT_TRUE(scenarios::find(entry.path().stem().string())) << entry.path();
  }
}

}  // namespace
}  // namespace lockstep
