#include <gtest/gtest.h>

#include "run_program.h"

namespace lockstep {
namespace {

TEST(TourTest, CatchesTheBrokenLockAndLetsTheSoundOnePass) {
  const ProgramRun run = run_program({"tour", "--executions", "20000"});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_NE(run.out.find("WAITS FOR EVER"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("No violation in 20 000 executions"), std::string::npos) << run.out;
  EXPECT_EQ(run_command(words(after("Replay it:", run.out))).status, 1);
}

TEST(TourTest, FailsIfTheBrokenLockIsNotCaught) {
  const ProgramRun run = run_program({"tour", "--executions", "1"});
  EXPECT_EQ(run.status, 1) << run.out << run.err;
}

}  // namespace
}  // namespace lockstep
