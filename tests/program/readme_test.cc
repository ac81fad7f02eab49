// The output quoted in README.md is the program's output.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "run_program.h"

namespace lockstep {
namespace {

std::string readme() {
  std::ifstream file(LOCKSTEP_SOURCE_DIR "/README.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

// The text between the first `begin` and the next `end` after it.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin);
  if (from == std::string::npos) return {};
  const std::size_t at = from + begin.size();
  return text.substr(at, text.find(end, at) - at);
}

TEST(ReadmeTest, TheLanesAreThoseOfItsReplayString) {
  const std::string lanes = between(readme(), "```\nstep ", "```");
  ASSERT_FALSE(lanes.empty());
  // README.md leaves out the hash and the checks.
  const std::string string = between(readme(), "lockstep replay ", "...");
  const ProgramRun run = run_program({"replay", string + "unknown"});
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_NE(run.out.find("\nstep " + lanes), std::string::npos) << run.out;
}

TEST(ReadmeTest, CommandsPrintTheTextBelowThem) {
  const std::string text = readme();
  int commands = 0;
  const std::string prompt = "\n$ lockstep ";
  for (std::size_t at = text.find(prompt); at != text.npos; at = text.find(prompt, at + 1)) {
    const std::string command = between(text.substr(at), prompt, "\n");
    const std::string printed = between(text.substr(at), command + "\n", "...");
    const ProgramRun run = run_program(words(command));
    EXPECT_TRUE(run.out.starts_with(printed)) << command << '\n' << run.out;
    ++commands;
  }
  EXPECT_GT(commands, 0);
}

}  // namespace
}  // namespace lockstep
