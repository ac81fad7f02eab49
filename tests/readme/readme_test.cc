// The code of README.md that needs no server; tests/examples runs the rest.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "lockstep/fake/simulation.h"
#include "printed.h"
#include "readme_includes.inc"

// Only a global main() may omit its return statement.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wreturn-type"

namespace lockstep::readme {

namespace production {
#include "readme_1.inc"
}  // namespace production

namespace threads {
#include "readme_2.inc"
}  // namespace threads

namespace simulation {
#include "readme_3.inc"
}  // namespace simulation

namespace recipe {
#include "readme_4.inc"
}  // namespace recipe

namespace property {
#include "readme_5.inc"
}  // namespace property

namespace threaded {
#include "readme_6.inc"
}  // namespace threaded

#pragma GCC diagnostic pop

TEST(ReadmeTest, TheNightlyJobRunsAsACoroutine) {
  fake::Simulation simulated;
  Client& client = simulated.client("Ann");
  EXPECT_TRUE(prints([&] { simulated.run(production::nightly_job(client)); }, "readme_1.out"));
}

TEST(ReadmeTest, TheNightlyJobRunsOnAThread) {
  fake::Simulation simulated;
  Client& client = simulated.client("Ann");
  EXPECT_TRUE(prints([&] { threads::nightly_job(client); }, "readme_1.out"));
}

TEST(ReadmeTest, ATestNeedsNoServer) {
  EXPECT_TRUE(prints([] { simulation::main(); }, "readme_3.out"));
}

TEST(ReadmeTest, AHuntFindsTheFlawOfARecipe) {
  EXPECT_TRUE(prints([] { EXPECT_EQ(recipe::main(), 1); }, "readme_4.out"));
}

TEST(ReadmeTest, AHuntFindsTheFlawOfThreadedCode) {
  EXPECT_TRUE(prints([] { EXPECT_EQ(threaded::main(), 1); }, "readme_6.out"));
}

TEST(ReadmeTest, AProgramInPythonRuns) {
  const std::string command =
      "PATH=" LOCKSTEP_BIN ":$PATH /usr/bin/python3 " LOCKSTEP_CODE_BLOCKS "/readme_1.py";
  std::FILE* const program = popen(command.c_str(), "r");
  ASSERT_NE(program, nullptr);
  std::string printed;
  for (int c; (c = std::fgetc(program)) != EOF;) printed += static_cast<char>(c);
  EXPECT_EQ(pclose(program), 0);
  EXPECT_TRUE(is_like(printed, shown("readme_1.py.out"))) << printed;
}

}  // namespace lockstep::readme
