#include <gtest/gtest.h>

#include <set>

#include "run_program.h"

namespace lockstep {
namespace {

TEST(ListTest, JsonHasTheKeysOfEveryScenario) {
  const ProgramRun run = run_program({"list", "--json"});
  ASSERT_EQ(run.status, 0);
  EXPECT_EQ(run.err, "");
  const nlohmann::json scenarios = run.json().at("scenarios");
  std::set<std::string> names;
  for (const nlohmann::json& scenario : scenarios) {
    SCOPED_TRACE(scenario.dump());
    const std::string name = scenario.at("name");
    const std::string kind = scenario.at("kind");
    EXPECT_TRUE(names.insert(name).second) << "twice";
    EXPECT_TRUE(kind == "recipe" || kind == "textbook" || kind == "zoo");
    EXPECT_EQ(scenario.at("expects") == "pass", kind == "recipe");
    EXPECT_FALSE(scenario.at("summary").get<std::string>().empty());
    EXPECT_GE(scenario.at("clients").get<int>(), 1);
    EXPECT_GE(scenario.at("rounds").get<int>(), 1);
    EXPECT_EQ(scenario.contains("reference"), kind != "recipe");
    EXPECT_TRUE(!scenario.contains("calm_fails") || scenario.at("calm_fails") == true);
  }
  EXPECT_TRUE(names.contains("fair-mutex"));
}

TEST(ListTest, TheTableHasALineForEveryScenario) {
  const ProgramRun run = run_program({"list"});
  ASSERT_EQ(run.status, 0);
  const nlohmann::json scenarios = run_program({"list", "--json"}).json().at("scenarios");
  for (const nlohmann::json& scenario : scenarios) {
    const std::string rest = after(scenario.at("name"), run.out);
    EXPECT_NE(rest.find(scenario.at("summary")), std::string::npos) << rest;
  }
}

TEST(ListTest, ALegendExplainsTheColumns) {
  const ProgramRun run = run_program({"list"});
  for (const char* column : {"KIND ", "EXPECTS ", "CLIENTS ", "ROUNDS ", "Needs no race"}) {
    EXPECT_NE(run.out.find(column, run.out.rfind("\n\nKIND")), std::string::npos) << column;
  }
  const nlohmann::json scenarios = run_program({"list", "--json"}).json().at("scenarios");
  for (const nlohmann::json& scenario : scenarios) {
    const std::string expects = scenario.at("expects");
    const std::string name = expects.substr(0, expects.find(':') + 1);
    if (expects == "pass") continue;
    const std::string row = "            " + (name.empty() ? expects + ' ' : name);
    EXPECT_NE(run.out.find(row), std::string::npos) << expects << " is not explained";
  }
}

}  // namespace
}  // namespace lockstep
