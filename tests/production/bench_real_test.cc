// `lockstep bench real` prints all its figures on a real server. (Their values depend on the
// machine.)
#include <gtest/gtest.h>

#include <map>

#include "production/operator_lab.h"

namespace lockstep {
namespace {

ProgramRun measured(const std::string& options) {
  return run_program(words("bench real --json --seconds 0.05 --zookeeper " +
                           support::ZookeeperServer::shared().address() + options));
}

TEST(BenchRealTest, EveryFigureHasItsFloor) {
  const ProgramRun run = measured("");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  const nlohmann::json result = run.json();
  EXPECT_EQ(result.at("suite"), "real");
  std::map<std::string, std::string> units;
  for (const nlohmann::json& figure : result.at("results")) {
    EXPECT_GT(figure.at("value").get<double>(), 0) << figure;
    units[figure.at("name")] = figure.at("unit");
  }
  for (const std::string name : {"uncontended", "uncontended_awaited", "handoff_10_sessions",
                                 "handoff_10_waiters_one_session", "locks_in_flight_256"}) {
    EXPECT_TRUE(units.at(name).ends_with("/s")) << name;
    EXPECT_EQ(units.at("floor_" + name), units.at(name));
    EXPECT_EQ(units.at(name + "_share"), "of the floor");
  }
  EXPECT_EQ(units.at("handoff_10_waiters_local"), "handoffs/s");
  for (const std::string name :
       {"uncontended_latency_p50", "acquire_latency_p50", "floor_create_latency_p50"}) {
    EXPECT_EQ(units.at(name), "us") << name;
  }
}

TEST(BenchRealTest, TheGivenNumberOfContendersContends) {
  const ProgramRun run = measured(" --contenders 3");
  ASSERT_EQ(run.status, 0) << run.err;
  for (const char* const name : {"handoff_3_sessions", "floor_handoff_3_waiters_one_session"}) {
    EXPECT_NE(run.out.find('"' + std::string(name) + '"'), std::string::npos) << run.out;
  }
}

TEST(BenchRealTest, BadInputIsNamed) {
  expect_one_line(run_program(words("bench fake --contenders 3")), 2, "--contenders");
  expect_one_line(run_program(words("bench real --contenders 1")), 2, "2 to 100");
  expect_one_line(run_program(words("bench real --zookeeper 127.0.0.1:x")), 2, "127.0.0.1:x");
  expect_one_line(run_program(words("bench fake --zookeeper 127.0.0.1:1")), 2, "--zookeeper");
  expect_one_line(run_program(words("bench real --force-sync --zookeeper 127.0.0.1:1")), 2,
                  "--force-sync");
}

}  // namespace
}  // namespace lockstep
