// `lockstep serve`; tests/service has the clients.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string>

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

TEST(ServeTest, ThePythonProgramOfItsPageTakesALockOver) {
  std::ifstream file(LOCKSTEP_SOURCE_DIR "/docs/serve.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::string begin = "```python\n";
  const std::size_t from = page.find(begin) + begin.size();
  const std::string code = page.substr(from, page.find("```", from) - from);
  const std::string program = LOCKSTEP_PROGRAM;
  const std::string path = "PATH=" + program.substr(0, program.rfind('/'));
  const ProgramRun run = run_command({"/usr/bin/env", path, "/usr/bin/python3", "-c", code});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "held by: ['Bob']\n") << run.err;
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

}  // namespace
}  // namespace lockstep
