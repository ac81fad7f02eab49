#include "program/screen.h"

#include <gtest/gtest.h>

#include <sstream>

#include "run_program.h"

namespace lockstep {
namespace {

constexpr const char* kEscape = "\x1b[";

// The output of a hunt on a terminal with that many columns.
std::string on_terminal(const std::string& surroundings, unsigned columns) {
  const std::string command = "exec env -u NO_COLOR -u COLUMNS TERM=xterm " + surroundings +
                              " \"$0\" hunt " +
                              "zoo-01-wait-after-missing-predecessor --seed 1 --executions 3000";
  RunningProgram program({"/bin/sh", "-c", command, LOCKSTEP_PROGRAM},
                         RunningProgram::Err::kTerminal, columns);
  return program.wait().err;
}

std::size_t widest_line(const std::string& text, const std::string& from) {
  std::istringstream lines(text.substr(text.find(from)));
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line) && line != "\r";) {
    if (line.ends_with('\r')) line.pop_back();
    most = std::max(most, line.size());
  }
  return most;
}

TEST(ScreenTest, ATerminalHasColoursUnlessTheyAreUnwanted) {
  EXPECT_NE(on_terminal("", 200).find("\x1b[1;31mbreaks L1\x1b[0m"), std::string::npos);
  for (const std::string unwanted : {"NO_COLOR=1", "TERM=dumb"}) {
    const std::string text = on_terminal(unwanted, 200);
    EXPECT_NE(text.find("breaks L1"), std::string::npos) << text;
    EXPECT_EQ(text.find("\x1b[1"), std::string::npos) << unwanted << ":\n" << text;
  }
  EXPECT_NE(on_terminal("NO_COLOR=", 200).find("\x1b[1;31m"), std::string::npos)
      << "an empty NO_COLOR says nothing";
}

TEST(ScreenTest, PipedOutputIsPlain) {
  const ProgramRun run = run_command(
      {"/bin/sh", "-c", "TERM=xterm COLUMNS=80 \"$0\" hunt zoo-01 --seed 1 --executions 3000",
       LOCKSTEP_PROGRAM});
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_EQ(run.out.find(kEscape), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("Folded"), std::string::npos) << "there is no screen that is too narrow";
}

TEST(ScreenTest, LanesFitTheTerminal) {
  const std::string narrow = on_terminal("NO_COLOR=1", 80);
  EXPECT_NE(narrow.find("(Folded: 80 columns are too few"), std::string::npos) << narrow;
  EXPECT_LE(widest_line(narrow, "(Folded"), 80U) << narrow;
  const std::string wider = on_terminal("NO_COLOR=1", 110);
  EXPECT_EQ(wider.find("Folded"), std::string::npos) << wider;
  EXPECT_LE(widest_line(wider, "step     time"), 110U) << wider;
  EXPECT_NE(on_terminal("NO_COLOR=1 COLUMNS=90", 200).find("(Folded: 90 columns"),
            std::string::npos)
      << "COLUMNS is what the user wants";
}

}  // namespace
}  // namespace lockstep
