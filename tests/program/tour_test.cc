#include <gtest/gtest.h>

#include "html_file.h"
#include "run_program.h"

namespace lockstep {
namespace {

TEST(TourTest, CatchesTheBrokenLockAndLetsTheSoundOnePass) {
  const HtmlFile file;
  const ProgramRun run = run_program({"tour", "--executions", "20000", "--html", file.name()});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_NE(
      run.out.find("every schedule of that lock with two clients and one fault of five kinds"),
      std::string::npos)
      << run.out;
  EXPECT_NE(run.out.find("WAITS FOR EVER"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("No violation in 20 000 executions"), std::string::npos) << run.out;
  EXPECT_EQ(run_command(words(after("Replay it:", run.out))).status, 1);
  EXPECT_NE(after("Timeline:", run.out).find(file.name()), std::string::npos) << run.out;
  EXPECT_NE(file.read().find("<title>zoo-01-wait-after-missing-predecessor breaks L1</title>"),
            std::string::npos);
}

TEST(TourTest, FailsIfTheBrokenLockIsNotCaught) {
  const HtmlFile file;
  const ProgramRun run = run_program({"tour", "--executions", "1", "--html", file.name()});
  EXPECT_EQ(run.status, 1) << run.out << run.err;
  EXPECT_EQ(file.read(), "") << "there is no failure to draw";
}

}  // namespace
}  // namespace lockstep
