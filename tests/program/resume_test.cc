#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "real/temporary_directory.h"
#include "run_program.h"

namespace lockstep {
namespace {

constexpr const char* kSearch =
    "hunt fair-mutex --clients 2 --strategy exhaustive --faults cut,timer --fault-budget 2";

class ResumeTest : public testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> resuming(const std::string& search) const {
    std::vector<std::string> arguments = words(search);
    arguments.insert(arguments.end(), {"--resume", file_});
    return arguments;
  }
  [[nodiscard]] std::string content() const {
    std::ostringstream text;
    text << std::ifstream(file_, std::ios::binary).rdbuf();
    return text.str();
  }
  void expect_refused(const std::string& search, const std::string& why) const {
    const std::string before = content();
    const ProgramRun run = run_program(resuming(search));
    EXPECT_EQ(run.status, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(run.err, "lockstep: --resume: " + why + "\n");
    EXPECT_EQ(content(), before);
  }

  const support::TemporaryDirectory directory_;
  const std::string file_ = (directory_.path() / "search").string();
};

// The findings without their times.
nlohmann::json findings(const ProgramRun& run) {
  nlohmann::json result = run.json();
  for (const char* const varies : {"seconds", "executions_per_second", "seed"}) {
    result.erase(varies);
  }
  return result;
}

TEST_F(ResumeTest, AnInterruptedSearchLeavesItsCheckpoint) {
  RunningProgram first(lockstep_command(resuming("hunt fair-mutex --strategy exhaustive --json")));
  first.wait_until_it_handles(SIGINT);
  first.send(SIGINT);
  const ProgramRun interrupted = first.wait();
  ASSERT_EQ(interrupted.status, 128 + SIGINT);
  EXPECT_EQ(interrupted.json().at("stopped_by"), "interrupt");
  ASSERT_TRUE(std::filesystem::exists(file_));
  EXPECT_FALSE(std::filesystem::exists(file_ + ".new"));
}

TEST_F(ResumeTest, PiecesOfASearchFindWhatTheWholeSearchFinds) {
  const nlohmann::json expected = findings(run_program(words(std::string(kSearch) + " --json")));
  EXPECT_EQ(expected.at("exhausted"), true);
  const std::string piece = std::string(kSearch) + " --json --seconds ";
  int pieces = 0;
  nlohmann::json result;
  // Each run is longer than the one before, so that the last one finishes on any machine.
  for (int ms = 20; result.empty() || result.at("exhausted") == false; ms *= 2, ++pieces) {
    result = findings(run_program(resuming(piece + std::to_string(ms / 1000.0) + " --jobs 2")));
  }
  EXPECT_EQ(result, expected);
  EXPECT_GE(pieces, 1);
  EXPECT_EQ(findings(run_program(resuming(std::string(kSearch) + " --json"))), expected);
}

TEST_F(ResumeTest, RefusesAnotherSearchAndLosesNothing) {
  ASSERT_EQ(run_program(resuming(kSearch)).status, 0);
  const std::string by_budget = std::string(kSearch).substr(0, std::string(kSearch).size() - 1);
  const std::string cut = std::string("'") + file_ +
                          "' belongs to another search: lockstep hunt fair-mutex --clients 2 "
                          "--rounds 1 --strategy exhaustive --faults cut,timer --fault-budget 2";
  expect_refused(by_budget + "1", cut);
  expect_refused("hunt semaphore --clients 2 --strategy exhaustive", cut);
}

TEST_F(ResumeTest, RefusesAFileThatIsNoCheckpointOrOfAnotherBuild) {
  std::ofstream(file_) << "notes\n";
  expect_refused(kSearch, "'" + file_ + "' is not the checkpoint of a search");
  std::filesystem::remove(file_);
  ASSERT_EQ(run_program(resuming(kSearch)).status, 0);
  std::string text = content();
  const std::size_t build = text.find("\nexecutable ") + std::string("\nexecutable ").size();
  text[build] = text[build] == '0' ? '1' : '0';
  std::ofstream(file_, std::ios::binary) << text;
  expect_refused(kSearch, "'" + file_ + "' was written by another build of this program");
}

TEST_F(ResumeTest, RefusesADamagedFile) {
  ASSERT_EQ(run_program(resuming(kSearch)).status, 0);
  const std::string text = content();
  std::ofstream(file_, std::ios::binary) << text.substr(0, text.size() - 1);
  expect_refused(kSearch, "'" + file_ + "' is damaged");
}

TEST_F(ResumeTest, RefusesASearchThatHasNoParts) {
  expect_refused("hunt fair-mutex", "only with --strategy exhaustive");
  expect_refused("hunt fair-mutex --strategy exhaustive --executions 100", "not with --executions");
  expect_refused("hunt fair-mutex --strategy exhaustive --reduction sleep",
                 "only with --reduction source, which divides the search");
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(ResumeTest, RefusesAPlaceWhereItCannotWrite) {
  const std::string lost = (directory_.path() / "none" / "search").string();
  std::vector<std::string> arguments = words(kSearch);
  arguments.insert(arguments.end(), {"--resume", lost});
  const ProgramRun run = run_program(arguments);
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(run.err, "lockstep: --resume: cannot write '" + lost + ".new'\n");
}

// Saving would have replaced the device by a file.
TEST_F(ResumeTest, RefusesADevice) {
  std::vector<std::string> arguments = words(kSearch);
  arguments.insert(arguments.end(), {"--resume", "/dev/null"});
  const ProgramRun run = run_program(arguments);
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(run.err, "lockstep: --resume: '/dev/null' is not a regular file\n");
}

TEST_F(ResumeTest, RefusesAFileWithoutAName) {
  std::vector<std::string> arguments = words(kSearch);
  arguments.insert(arguments.end(), {"--resume", ""});
  const ProgramRun run = run_program(arguments);
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err, "lockstep: --resume: the name of the file is empty\n");
}

TEST_F(ResumeTest, ALinkToItsFileStaysALink) {
  const std::string link = (directory_.path() / "link").string();
  std::filesystem::create_symlink("search", link);
  std::vector<std::string> arguments = words(kSearch);
  arguments.insert(arguments.end(), {"--resume", link});
  const ProgramRun run = run_program(arguments);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(std::filesystem::exists(file_));
}

TEST_F(ResumeTest, TheTerminalShowsHowFarTheSearchIs) {
  RunningProgram search(lockstep_command(words("hunt fair-mutex --strategy exhaustive")),
                        RunningProgram::Err::kTerminal);
  search.wait_until_it_shows("of it left");
  search.send(SIGTERM);
  const ProgramRun run = search.wait();
  EXPECT_NE(run.err.find(" combinations with "), std::string::npos) << run.err;
}

}  // namespace
}  // namespace lockstep
