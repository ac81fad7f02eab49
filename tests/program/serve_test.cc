// `lockstep serve`; tests/service has the clients.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
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

TEST(ServeTest, BadAddressesAreNamed) {
  for (const char* const arguments :
       {"--listen x", "--listen 300.1.1.1:5", "--listen 127.0.0.1:99999", "--port 99999",
        "--servers 0", "--servers 10", "--port 1 --listen 127.0.0.1:1"}) {
    SCOPED_TRACE(arguments);
    const ProgramRun run = run_program(words("serve " + std::string(arguments)));
    EXPECT_EQ(run.status, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(std::ranges::count(run.err, '\n'), 1) << run.err;
  }
}

}  // namespace
}  // namespace lockstep
