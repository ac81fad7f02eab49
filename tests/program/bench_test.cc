#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "run_program.h"

namespace lockstep {
namespace {

// The limit for optimised code is 2 KiB; a coroutine frame of unoptimised or sanitized code holds
// every temporary.
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__clang__)
constexpr double kMostWaiterBytes = 2048;
#else
constexpr double kMostWaiterBytes = 4096;
#endif

nlohmann::json figures_of(const std::string& suite, const std::vector<std::string>& figures = {}) {
  std::vector<std::string> words = {"bench", suite, "--seconds", "0.05", "--json"};
  for (const std::string& figure : figures) words.insert(words.end(), {"--figure", figure});
  const ProgramRun run = run_program(words);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  const nlohmann::json result = run.json();
  EXPECT_EQ(result.at("suite"), suite);
  return result.at("results");
}

std::map<std::string, std::string> units_of(const nlohmann::json& figures) {
  std::map<std::string, std::string> units;
  for (const nlohmann::json& figure : figures) {
    EXPECT_GT(figure.at("value").get<double>(), 0) << figure;
    units[figure.at("name")] = figure.at("unit");
  }
  return units;
}

constexpr const char* kLongFigure = "exhaustive_one_fault_seconds";

std::map<std::string, std::string> explorer_figures() {
  std::map<std::string, std::string> figures = {{"search_fault_free", "executions/s"},
                                                {"search_faults", "executions/s"},
                                                {"search_blocking", "executions/s"},
                                                {"exhaustive_fault_free_seconds", "s"},
                                                {kLongFigure, "s"},
                                                {"floor_recipe", "executions/s"}};
#if LOCKSTEP_WITH_ZOOKEEPER
  figures["real_client"] = "executions/s";
  figures["real_client_coarse"] = "executions/s";
  figures["real_client_forked"] = "executions/s";
#endif
  return figures;
}

TEST(BenchTest, ExplorerMeasuresTheFiguresThatAreAskedFor) {
  std::map<std::string, std::string> expected = explorer_figures();
  expected.erase(kLongFigure);  // Takes a minute.
  std::vector<std::string> names;
  for (const auto& [name, unit] : expected) names.push_back(name);
  EXPECT_EQ(units_of(figures_of("explorer", names)), expected);
}

TEST(BenchTest, ExplorerNamesItsFigures) {
  const ProgramRun run = run_program({"bench", "explorer", "--figure", "none"});
  EXPECT_EQ(run.status, 2);
  for (const auto& [name, unit] : explorer_figures()) {
    EXPECT_NE(run.err.find(name), std::string::npos) << name << " is not in: " << run.err;
  }
  EXPECT_EQ(std::ranges::count(run.err, ','), explorer_figures().size()) << run.err;
  EXPECT_EQ(run_program({"bench", "fake", "--figure", "operation"}).status, 2);
}

TEST(BenchTest, AnExhaustiveSearchShowsItsProgress) {
  RunningProgram program(lockstep_command({"bench", "explorer", "--figure", kLongFigure}),
                         RunningProgram::Err::kTerminal);
  program.wait_until_it_shows("executions");
}

TEST(BenchTest, FakeMeasuresTimeAndMemory) {
  const std::map<std::string, std::string> expected = {
      {"simulation_start", "us"},
      {"operation", "us"},
      {"lock_cycle", "us"},
      {"waiter_bytes", "bytes"},
      {"handoff_10_waiters", "us"},
      {"handoff_100_waiters", "us"},
      {"handoff_1000_waiters", "us"},
      {"handoff_10000_waiters", "us"},
      {"handoff_requests_10_waiters", "requests"},
      {"handoff_requests_10000_waiters", "requests"},
      {"handoff_wakes_10000_waiters", "wakes"},
      {"handoff_flatness", "times"},
      {"list_10_waiters", "us"},
      {"list_100_waiters", "us"},
      {"list_1000_waiters", "us"},
      {"list_10000_waiters", "us"},
      {"locks_100000", "us"},
      {"lock_bytes", "bytes"}};
  const nlohmann::json figures = figures_of("fake");
  EXPECT_EQ(units_of(figures), expected);
  // The next waiter keeps the list of the 10 000, 16 bytes for each.
  std::map<std::string, double> values;
  for (const nlohmann::json& figure : figures) values[figure.at("name")] = figure.at("value");
  EXPECT_LT(values["waiter_bytes"], kMostWaiterBytes);
  EXPECT_EQ(values["handoff_requests_10_waiters"], 2);
  EXPECT_EQ(values["handoff_requests_10000_waiters"], 2);
  EXPECT_EQ(values["handoff_wakes_10000_waiters"], 1);
}

TEST(BenchTest, TextHasALineForEveryFigure) {
  const ProgramRun run = run_program({"bench", "fake", "--seconds", "0.01"});
  EXPECT_EQ(run.status, 0);
  for (const std::string name : {"simulation_start", "operation", "lock_cycle", "locks_100000"}) {
    EXPECT_TRUE(after(name, run.out).ends_with(" us")) << run.out;
  }
  EXPECT_TRUE(after("waiter_bytes", run.out).ends_with(" bytes")) << run.out;
}

}  // namespace
}  // namespace lockstep
