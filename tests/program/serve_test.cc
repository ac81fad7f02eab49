// `lockstep serve`; tests/service has the clients.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "run_program.h"

namespace lockstep {
namespace {

TEST(ServeTest, SignalsEndItWell) {
  for (const int signal : {SIGINT, SIGTERM}) {
    RunningProgram serve(lockstep_command(words("serve --port 0 --servers 3")));
    serve.wait_until_it_handles(signal);
    serve.send(signal);
    const ProgramRun run = serve.wait();
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.err, "");
  }
}

// The page's program in that language.
std::string program_in(const std::string& language) {
  std::ifstream file(LOCKSTEP_SOURCE_DIR "/docs/serve.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::string begin = "```" + language + "\n";
  const std::size_t from = page.find(begin) + begin.size();
  return page.substr(from, page.find("```", from) - from);
}

// Runs a shell command that finds the program by its name; "$1" is the text.
ProgramRun run_with_program(const std::string& command, const std::string& text) {
  const std::string program = LOCKSTEP_PROGRAM;
  const std::string path = "PATH=" + program.substr(0, program.rfind('/')) + ":/usr/bin:/bin";
  return run_command({"/usr/bin/env", path, "/bin/sh", "-c", command, "sh", text});
}

TEST(ServeTest, ThePythonProgramOfItsPageTakesALockOver) {
  const ProgramRun run = run_with_program("exec python3 -c \"$1\"", program_in("python"));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "held by: ['Bob']\n") << run.err;
}

TEST(ServeTest, TheJavaProgramOfItsPageSeesAnExpiredHolderGo) {
  const ProgramRun run = run_with_program(
      "cd $(mktemp -d) && trap 'rm -r $PWD' EXIT && printf %s \"$1\" >Nightly.java && java "
      "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dorg.slf4j.simpleLogger.defaultLogLevel=error "
      "-cp /usr/share/java/zookeeper.jar:/usr/share/java/slf4j-simple.jar Nightly.java",
      program_in("java"));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "free: true\n") << run.err;
}

TEST(ServeTest, TheCProgramOfItsPageTakesAPlace) {
  const ProgramRun run = run_with_program(
      "cd $(mktemp -d) && trap 'rm -r $PWD' EXIT && printf %s \"$1\" >nightly.c && "
      "cc -DTHREADED nightly.c -o nightly -lzookeeper_mt && ./nightly",
      program_in("c"));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "ok /place-0000000000\n") << run.err;
}

TEST(ServeTest, BadAddressesAreNamed) {
  for (const char* const arguments :
       {"--listen x", "--listen 300.1.1.1:5", "--listen 127.0.0.1:99999", "--port 99999",
        "--control x", "--control 127.0.0.1:99999", "--servers 0", "--servers 10",
        "--port 1 --listen 127.0.0.1:1"}) {
    SCOPED_TRACE(arguments);
    const ProgramRun run = run_program(words("serve " + std::string(arguments)));
    EXPECT_EQ(run.status, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(std::ranges::count(run.err, '\n'), 1) << run.err;
  }
}

TEST(ServeTest, ABadPortIsNamedByTheOptionThatWasGiven) {
  const ProgramRun run = run_program(words("serve --port 99999"));
  EXPECT_NE(run.err.find("--port"), run.err.npos) << run.err;
  EXPECT_EQ(run.err.find("--listen"), run.err.npos) << run.err;
}

TEST(ServeTest, NumbersAreDecimal) {
  const std::vector<std::pair<std::string, std::string>> inputs = {
      {"--servers 010 --listen x", "--servers: '010' is not a number from 1 to 9"},
      {"--tick 0x20 --listen x", "--tick: '0x20'"},
      {"--port 0x50", "--port: '0x50'"}};
  for (const auto& [arguments, named] : inputs) {
    const ProgramRun run = run_program(words("serve " + arguments));
    EXPECT_EQ(run.status, 2);
    EXPECT_NE(run.err.find(named), run.err.npos) << run.err;
  }
}

TEST(ServeTest, PortsBeyondTheLastOneAreNamed) {
  const ProgramRun run = run_program(words("serve --port 65534 --servers 3"));
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(run.err,
            "lockstep: --servers: there are no 3 ports from 65534 on, because the last one is "
            "65535\n");
}

TEST(ServeTest, EndsIfItCannotTellItsAddresses) {
  const std::string serve = std::string("exec ") + LOCKSTEP_PROGRAM + " serve --port 0 >/dev/full";
  const ProgramRun run = run_command({"/usr/bin/timeout", "20", "/bin/sh", "-c", serve});
  EXPECT_EQ(run.status, 74);
  EXPECT_EQ(run.err, "lockstep: cannot write to standard output\n");
}

}  // namespace
}  // namespace lockstep
