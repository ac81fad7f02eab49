#include <gtest/gtest.h>

#include "run_program.h"

namespace lockstep {
namespace {

ProgramRun exhaust(const std::string& arguments) {
  return run_program(words("hunt --strategy exhaustive " + arguments));
}

TEST(ExhaustiveProgramTest, TheCommandThatItPrintsKeepsTheReduction) {
  const std::string broken = "zoo-01-wait-after-missing-predecessor --faults none";
  const ProgramRun sleep = exhaust(broken + " --reduction sleep");
  ASSERT_EQ(sleep.status, 1);
  const std::string again = after("Hunt again:", sleep.out);
  EXPECT_NE(again.find(" --reduction sleep"), std::string::npos) << again;
  EXPECT_EQ(run_command(words(again)).out, sleep.out);
  EXPECT_EQ(after("Hunt again:", exhaust(broken).out).find("--reduction"), std::string::npos);
}

TEST(ExhaustiveProgramTest, EndsAfterExactlyTheGivenNumberOfExecutions) {
  for (const int executions : {1, 10, 257}) {
    const nlohmann::json result =
        exhaust("fair-mutex --json --executions " + std::to_string(executions)).json();
    EXPECT_EQ(result.at("executions"), executions);
    EXPECT_EQ(result.at("stopped_by"), "count");
  }
}

TEST(ExhaustiveProgramTest, WithoutANumberItGoesOnUntilAllIsTried) {
  const nlohmann::json result =
      exhaust("fair-mutex --clients 2 --faults expiry,cut --fault-budget 2 --seconds 1000 --json")
          .json();
  EXPECT_EQ(result.at("exhausted"), true);
  EXPECT_GT(result.at("executions").get<int>(), 20'000) << "the default of other strategies";
}

TEST(ExhaustiveProgramTest, SaysAtWhichBudgetItStoppedAndWhichAreExhausted) {
  const ProgramRun none = exhaust("fair-mutex --executions 10");
  EXPECT_NE(none.out.find("NOT exhausted: 10 traces, "), std::string::npos) << none.out;
  EXPECT_NE(none.out.find("stopped by count within fault budget 0 of 2, "
                          "no fault budget is exhausted"),
            std::string::npos)
      << none.out;
  const std::string small = "fair-mutex --clients 2 --faults cut --executions ";
  const ProgramRun one = exhaust(small + "300");
  EXPECT_NE(one.out.find("within fault budget 1 of 2, fault budget 0 is exhausted"),
            std::string::npos)
      << one.out;
  const ProgramRun two = exhaust(small + "1000");
  EXPECT_NE(two.out.find("within fault budget 2 of 2, fault budgets 0 to 1 are exhausted"),
            std::string::npos)
      << two.out;
  const nlohmann::json result = exhaust(small + "300 --json").json();
  EXPECT_EQ(result.at("fault_budget_exhausted"), 0);
  EXPECT_EQ(result.at("fault_budget_reached"), 1);
}

TEST(ExhaustiveProgramTest, SaysWhatItDoesNotJudge) {
  const std::string not_judged = "L3 and livelock by repetition";
  const ProgramRun text = exhaust("textbook-c-polling --faults none");
  EXPECT_EQ(text.status, 0);
  EXPECT_NE(text.out.find(not_judged + " are not judged"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("or the search is exhaustive)"), std::string::npos) << text.out;
  const nlohmann::json json = exhaust("textbook-c-polling --faults none --json").json();
  EXPECT_EQ(json.at("not_judged").size(), 2U);
  EXPECT_NE(run_program({"hunt", "--help"}).out.find(not_judged), std::string::npos);
}

}  // namespace
}  // namespace lockstep
