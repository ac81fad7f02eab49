#include <gtest/gtest.h>

#include <csignal>

#include "run_program.h"

namespace lockstep {
namespace {

using Err = RunningProgram::Err;

constexpr const char* kWithoutEnd = "hunt fair-mutex --seconds 100000 --json";
constexpr const char* kExhaustiveWithoutEnd = "hunt fair-mutex --strategy exhaustive";

TEST(InterruptionTest, AnInterruptedHuntReportsItsResult) {
  for (const int signal : {SIGINT, SIGTERM}) {
    RunningProgram hunt(lockstep_command(words(kWithoutEnd)));
    hunt.wait_until_it_handles(signal);
    hunt.send(signal);
    const ProgramRun run = hunt.wait();
    EXPECT_EQ(run.status, 128 + signal);
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(run.json().at("stopped_by"), "interrupt");
    EXPECT_GT(run.json().at("executions").get<int>(), 0);
    EXPECT_TRUE(run.json().at("violation").is_null());
  }
}

TEST(InterruptionTest, TheTerminalIsLeftClean) {
  RunningProgram hunt(lockstep_command(words(kExhaustiveWithoutEnd)), Err::kTerminal);
  hunt.wait_until_it_shows("per second");
  hunt.send(SIGINT);
  const ProgramRun run = hunt.wait();
  EXPECT_EQ(run.status, 128 + SIGINT);
  EXPECT_NE(run.out.find("NOT exhausted: "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("stopped by interrupt within fault budget "), std::string::npos);
  EXPECT_TRUE(run.err.ends_with("\r\x1b[K")) << run.err;
}

TEST(InterruptionTest, ABoundedHuntShowsTheTimeLeft) {
  RunningProgram hunt(lockstep_command(words("hunt fair-mutex --seconds 1000")), Err::kTerminal);
  hunt.wait_until_it_shows("[....................] ");
  hunt.wait_until_it_shows(" min left");
  hunt.send(SIGTERM);
  EXPECT_EQ(hunt.wait().status, 128 + SIGTERM);
}

// An execution of this size takes long, and so does the time between two polls for a signal.
TEST(InterruptionTest, TheSecondSignalEndsAHuntAtOnce) {
  RunningProgram hunt(lockstep_command(
      words("hunt read-write-lock --clients 64 --rounds 10 --seconds 100000 --json")));
  hunt.wait_until_it_handles(SIGINT);
  hunt.send(SIGINT);
  hunt.send(SIGTERM);
  const ProgramRun run = hunt.wait();
  // If both signals arrive before either is handled, the handler of the later one runs first.
  EXPECT_TRUE(run.signal == SIGTERM || run.signal == SIGINT) << run.status;
  EXPECT_EQ(run.out, "");
}

TEST(InterruptionTest, ASignalThatWasIgnoredStaysIgnored) {
  RunningProgram hunt({"/bin/sh", "-c",
                       "trap '' INT; exec \"$0\" hunt fair-mutex --seconds 100000 --json",
                       LOCKSTEP_PROGRAM});
  hunt.wait_until_it_handles(SIGTERM);
  hunt.send(SIGINT);
  hunt.send(SIGTERM);
  EXPECT_EQ(hunt.wait().status, 128 + SIGTERM);
}

}  // namespace
}  // namespace lockstep
