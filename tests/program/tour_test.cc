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

// Runs a tour in a folder; `before` prepares the folder, `after` inspects it.
ProgramRun tour_in_folder(const std::string& before, const std::string& arguments,
                          const std::string& after) {
  const std::string script = "folder=$(mktemp -d) && cd \"$folder\" && " + before +
                             " && \"$0\" tour --executions 2000 " + arguments + "; " + after +
                             "; cd / && rm -r \"$folder\"";
  return run_command({"/bin/sh", "-c", script, LOCKSTEP_PROGRAM});
}

TEST(TourTest, SaysFirstWhichPageItWrites) {
  const ProgramRun run = tour_in_folder("true", "", "ls");
  const std::size_t said = run.out.find("Writes lockstep-tour.html");
  EXPECT_LT(said, run.out.find("1. zoo-01")) << run.out;
  EXPECT_TRUE(run.out.ends_with("\nlockstep-tour.html\n")) << run.out;
}

TEST(TourTest, WritesNoUnwantedPage) {
  const ProgramRun run = tour_in_folder("true", "--no-html", "ls");
  EXPECT_EQ(run.out.find("lockstep-tour.html"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("No page is written."), std::string::npos) << run.out;
  EXPECT_EQ(run_program(words("tour --no-html --html x.html")).status, 2);
}

TEST(TourTest, WritesNowhereElseIfTheFolderIsNotWritable) {
  // A folder has that name, so even root cannot write the file.
  const ProgramRun run = tour_in_folder("mkdir lockstep-tour.html", "", "rmdir lockstep-tour.html");
  EXPECT_NE(run.out.find("Writes no timeline: cannot write 'lockstep-tour.html'"),
            std::string::npos)
      << run.out;
  EXPECT_NE(run.out.find("--html FILE writes it elsewhere"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("Timeline:"), std::string::npos) << run.out;
}

}  // namespace
}  // namespace lockstep
