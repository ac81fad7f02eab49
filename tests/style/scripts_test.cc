// The scripts ./run and ./test in a tree of their own, whose programs are stubs.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kWaiting = "waiting for another ./run or ./test\n";

// A started shell command; its output includes its standard error.
class Script {
 public:
  explicit Script(const std::string& command)
      : pipe_(popen(("exec 2>&1; " + command).c_str(), "r")) {}
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;
  ~Script() { pclose(pipe_); }

  // The output up to this line, or to its end.
  std::string until(const std::string& line) {
    std::string output;
    std::array<char, 1000> read{};
    while (fgets(read.data(), read.size(), pipe_) != nullptr) {
      output += read.data();
      if (read.data() == line) break;
    }
    return output;
  }
  std::string rest() { return until(""); }

 private:
  FILE* pipe_;
};

class ScriptsTest : public ::testing::Test {
 protected:
  ScriptsTest() {
    fs::remove_all(tree_);  // An earlier process may have been killed.
    fs::create_directories(tree_ / "tests");
    fs::create_directories(tree_ / "build/release/bin");
    fs::create_directories(tree_ / "stubs");
    for (const char* const folder : {"core", "fakezk", "backends", "property", "examples"}) {
      fs::create_directories(tree_ / folder);
    }
    for (const char* const file : {"run", "test", "tests/setup.sh"}) {
      fs::copy_file(fs::path(LOCKSTEP_SOURCE_DIR) / file, tree_ / file);
    }
    for (const char* const file : {"CMakeLists.txt", "CMakePresets.json", "build/lock"}) {
      std::ofstream(tree_ / file).flush();
    }
    add("build/release/bin/lockstep", "echo \"program $*\"");
    add("need", "set -euo pipefail; . tests/setup.sh; need missing; echo went on");
    add("stubs/cmake", "echo \"cmake $1\"");
    add("stubs/dpkg-query", "[ \"${!#}\" = missing ] || echo installed");
    add("stubs/sudo", "shift; exec \"$@\"");
    add("stubs/sleep", "echo \"sleep $1\"");
    for (const char* const tool : {"g++", "ninja", "ccache", "clang-format-19"}) {
      add(std::string("stubs/") + tool, "");
    }
  }
  ~ScriptsTest() override {
    if (lock_ != -1) close(lock_);
    fs::remove_all(tree_);
  }

  void add(const std::string& file, const std::string& shell) const {
    std::ofstream(tree_ / file) << "#!/bin/bash\n" << shell << '\n';
    fs::permissions(tree_ / file, fs::perms::owner_all);
  }
  void build_program_at(fs::file_time_type time) const {
    const fs::path stamp = tree_ / "build/release/program.stamp";
    std::ofstream(stamp).flush();
    fs::last_write_time(stamp, time);
  }
  void make_current() const { build_program_at(now() + std::chrono::hours(1)); }
  void make_stale() const { build_program_at(now() - std::chrono::hours(1)); }
  void lock() {
    lock_ = open((tree_ / "build/lock").c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_EQ(flock(lock_, LOCK_EX | LOCK_NB), 0);
  }
  void unlock() const { flock(lock_, LOCK_UN); }
  [[nodiscard]] std::string in_tree(const std::string& command) const {
    return "cd " + tree_.string() + "; PATH=" + (tree_ / "stubs").string() + ":$PATH; " + command;
  }

 private:
  [[nodiscard]] fs::file_time_type now() const {
    return fs::last_write_time(tree_ / "CMakeLists.txt");
  }

  const fs::path tree_ =
      fs::path(::testing::TempDir()) / ("lockstep_scripts_" + std::to_string(getpid()));
  int lock_ = -1;
};

TEST_F(ScriptsTest, ACurrentProgramRunsDuringATest) {
  make_current();
  lock();
  EXPECT_EQ(Script(in_tree("./run list")).rest(), "program list\n");
}

TEST_F(ScriptsTest, AStaleProgramIsBuilt) {
  make_stale();
  const std::string output = Script(in_tree("./run list")).rest();
  EXPECT_THAT(output, HasSubstr("cmake --build\nprogram list\n"));
  EXPECT_THAT(output, Not(HasSubstr(kWaiting)));
}

TEST_F(ScriptsTest, ARunSaysThatItWaitsForATest) {
  make_stale();
  lock();
  Script run(in_tree("./run list"));
  EXPECT_EQ(run.until(kWaiting), kWaiting);
  unlock();
  EXPECT_THAT(run.rest(), HasSubstr("cmake --build\nprogram list\n"));
}

TEST_F(ScriptsTest, ARunGoesOnWhenATestHasBuiltTheProgram) {
  make_stale();
  lock();
  Script run(in_tree("./run list"));
  EXPECT_EQ(run.until(kWaiting), kWaiting);
  make_current();
  EXPECT_EQ(run.rest(), "program list\n");
}

TEST_F(ScriptsTest, ATestSaysThatItWaitsForARun) {
  add("stubs/cmake", "exit 1");
  lock();
  Script test(in_tree("./test --quick"));
  EXPECT_EQ(test.until(kWaiting), kWaiting);
  unlock();
  EXPECT_THAT(test.rest(), HasSubstr("release build"));
}

TEST_F(ScriptsTest, LockedListsOfPackagesAreUpdatedLater) {
  add("stubs/apt-get",
      "echo \"apt-get $1\"; [ \"$1\" != update ] || { [ -e updated ] || { >updated; exit 100; }; "
      "}");
  EXPECT_EQ(Script(in_tree("./need")).rest(),
            "installing missing\n"
            "apt-get update\napt-get update has failed; trying again in 10 s\nsleep 10\n"
            "apt-get update\napt-get install\nwent on\n");
}

TEST_F(ScriptsTest, PackagesAreInstalledFromOldListsAtWorst) {
  add("stubs/apt-get", "echo \"apt-get $1\"; [ \"$1\" != update ]");
  EXPECT_THAT(Script(in_tree("./need")).rest(),
              HasSubstr("packages that are there\napt-get install\nwent on\n"));
}

TEST_F(ScriptsTest, AFailedInstallationIsReported) {
  add("stubs/apt-get", "[ \"$1\" = update ]");
  EXPECT_EQ(Script(in_tree("./need")).rest(),
            "installing missing\ncould not install the packages (apt-get says above why); as root: "
            "apt-get install --yes --no-install-recommends missing\n");
}

}  // namespace
}  // namespace lockstep
