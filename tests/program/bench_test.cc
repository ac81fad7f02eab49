#include <gtest/gtest.h>

#include <map>

#include "run_program.h"

namespace lockstep {
namespace {

std::map<std::string, std::string> units_of(const std::string& suite) {
  const ProgramRun run = run_program({"bench", suite, "--seconds", "0.05", "--json"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  const nlohmann::json result = run.json();
  EXPECT_EQ(result.at("suite"), suite);
  std::map<std::string, std::string> units;
  for (const nlohmann::json& figure : result.at("results")) {
    EXPECT_GT(figure.at("value").get<double>(), 0) << figure;
    units[figure.at("name")] = figure.at("unit");
  }
  return units;
}

TEST(BenchTest, ExplorerMeasuresExecutions) {
  const std::map<std::string, std::string> expected = {{"search_fault_free", "executions/s"},
                                                       {"search_faults", "executions/s"},
                                                       {"search_blocking", "executions/s"},
                                                       {"exhaustive_fault_free_seconds", "s"},
                                                       {"exhaustive_one_fault_seconds", "s"}};
  EXPECT_EQ(units_of("explorer"), expected);
}

TEST(BenchTest, FakeMeasuresMicroseconds) {
  const std::map<std::string, std::string> expected = {
      {"simulation_start", "us"}, {"operation", "us"}, {"lock_cycle", "us"}};
  EXPECT_EQ(units_of("fake"), expected);
}

TEST(BenchTest, TextHasALineForEveryFigure) {
  const ProgramRun run = run_program({"bench", "fake", "--seconds", "0.01"});
  EXPECT_EQ(run.status, 0);
  for (const std::string name : {"simulation_start", "operation", "lock_cycle"}) {
    EXPECT_TRUE(after(name, run.out).ends_with(" us")) << run.out;
  }
}

}  // namespace
}  // namespace lockstep
