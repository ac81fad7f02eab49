// `lockstep lock` on a real server: the command, its status, contention, signals.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <sstream>

#include "production/operator_lab.h"

namespace lockstep {
namespace {

using std::to_string;

bool lives(const std::string& process) {
  return run_command({"/usr/bin/grep", "-q", "^State:.[^ZX]", "/proc/" + process + "/status"})
             .status == 0;
}

class LockCommandTest : public ::testing::Test {
 protected:
  const OperatorLab lab_;
};

TEST_F(LockCommandTest, TheCommandRunsUnderTheLockAndItsStatusIsTheProgramsOwn) {
  const ProgramRun run =
      run_command(lab_.locked_sh({}, "echo $LOCKSTEP_FENCING_TOKEN; echo problem >&2; exit 7"));
  EXPECT_EQ(run.status, 7);
  EXPECT_GT(std::stoll(run.out), 0);
  EXPECT_EQ(run.err, "problem\n");
  EXPECT_TRUE(lab_.show().at("holders").empty());
}

TEST_F(LockCommandTest, ASignalThatEndsTheCommandIsInTheStatus) {
  const ProgramRun run = run_command(lab_.locked_sh({}, "kill -KILL $$"));
  EXPECT_EQ(run.status, 128 + SIGKILL);
  EXPECT_EQ(run.err, "");
}

TEST_F(LockCommandTest, ACommandThatCannotRunIsNamedBeforeAnythingIsAskedOfAServer) {
  const OperatorLab nowhere("127.0.0.1:1");
  expect_one_line(run_command(nowhere.locked({}, {"no-such-command"})), 127, "no-such-command");
  expect_one_line(run_command(nowhere.locked({}, {"/no/such/command"})), 127, "No such file");
  expect_one_line(run_command(nowhere.locked({}, {""})), 127, "''");
  expect_one_line(run_command(nowhere.locked({}, {"/"})), 126, "Permission denied");
  const std::string text = lab_.file("text", "no program");
  expect_one_line(run_command(nowhere.locked({}, {text})), 126, "Permission denied");
}

TEST_F(LockCommandTest, WordsOfTheCommandArriveAsTheyAre) {
  const ProgramRun run = run_command(
      lab_.locked({}, {"printf", "%s|", "[a,b]", "", "--", "--help", "-x", "two words", "list"}));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "[a,b]||--|--help|-x|two words|list|");
}

TEST_F(LockCommandTest, TheCommandGetsNoDescriptorOfTheProgram) {
  const std::string script = "ls /proc/self/fd | wc -l";
  const ProgramRun alone = run_command({"/bin/sh", "-c", script});
  EXPECT_EQ(run_command(lab_.locked_sh({}, script)).out, alone.out);
}

TEST_F(LockCommandTest, ClosedStandardFilesAreNotTakenForOthers) {
  Fifo files = lab_.fifo("files");
  const std::string list = "cd /proc/$PPID/fd; readlink 0 1 2 > " + files.path();
  std::vector<std::string> command = {"/bin/sh", "-c", "exec \"$@\" <&- >&- 2>&-", "sh"};
  const std::vector<std::string> locked = lab_.locked_sh({}, list);
  command.insert(command.end(), locked.begin(), locked.end());
  RunningProgram program(command);
  EXPECT_EQ(files.read_all(), "/dev/null\n/dev/null\n/dev/null\n");
  EXPECT_EQ(program.wait().status, 0);
}

TEST_F(LockCommandTest, TheCommandHasTheSignalsOfTheProgramsStart) {
  // The last seven digits: later signals are the C library's own.
  const std::vector<std::string> signals = {"/usr/bin/sed", "-nE", "/^Sig[BI]/s/.*(.{7})$/\\1/p",
                                            "/proc/self/status"};
  const ProgramRun alone = run_command(signals);
  EXPECT_EQ(alone.out.size(), 16U) << alone.out;
  EXPECT_EQ(run_command(lab_.locked({}, signals)).out, alone.out);
}

TEST_F(LockCommandTest, OneProgramWaitsForTheOtherAndIsShown) {
  Fifo runs = lab_.fifo("runs");
  const Fifo go = lab_.fifo("go");
  RunningProgram first(lab_.locked_sh(
      {}, "echo $LOCKSTEP_FENCING_TOKEN > " + runs.path() + "; read _ < " + go.path()));
  const long long token = std::stoll(runs.read_line());
  RunningProgram second(lab_.locked_sh({}, "echo $LOCKSTEP_FENCING_TOKEN"));
  const nlohmann::json shown = lab_.wait_until(1, 1);
  const nlohmann::json& holder = shown.at("holders").at(0);
  EXPECT_EQ(holder.at("pid"), first.process());
  EXPECT_EQ(holder.at("token"), token);
  EXPECT_NE(holder.at("host"), nullptr);
  EXPECT_TRUE(holder.at("data").get<std::string>().ends_with(" sh")) << holder;
  EXPECT_EQ(shown.at("waiters").at(0).at("pid"), second.process());

  expect_one_line(run_command(lab_.locked({"--timeout", "0"}, {"true"})), 75, lab_.lock());
  expect_one_line(run_command(lab_.locked({"--timeout", "2s"}, {"true"})), 75, "in time");
  lab_.wait_until(1, 1);  // They have left the queue.

  go.let_go();
  EXPECT_EQ(first.wait().status, 0);
  const ProgramRun after = second.wait();
  EXPECT_EQ(after.status, 0) << after.err;
  EXPECT_GT(std::stoll(after.out), token);
  lab_.wait_until(0, 0);
}

TEST_F(LockCommandTest, SharedHoldersRunTogetherAndKeepOthersWaiting) {
  Fifo runs = lab_.fifo("runs");
  Fifo both = lab_.fifo("both");
  const Fifo first_may_go = lab_.fifo("first");
  const Fifo second_may_go = lab_.fifo("second");
  RunningProgram first(lab_.locked_sh(
      {"--shared"}, "echo first > " + runs.path() + "; read _ < " + first_may_go.path()));
  EXPECT_EQ(runs.read_line(), "first");
  RunningProgram second(
      lab_.locked_sh({"--shared", "--timeout", "0"},
                     "echo second > " + both.path() + "; read _ < " + second_may_go.path()));
  EXPECT_EQ(both.read_line(), "second");
  const nlohmann::json shown = lab_.wait_until(2, 0);
  EXPECT_EQ(shown.at("holders").at(1).at("share"), "shared");
  EXPECT_EQ(run_command(lab_.locked({"--timeout", "0"}, {"true"})).status, 75);
  RunningProgram exclusive(lab_.locked({}, {"true"}));
  lab_.wait_until(2, 1);
  // A reader does not overtake the writer.
  EXPECT_EQ(run_command(lab_.locked({"--shared", "--timeout", "0"}, {"true"})).status, 75);
  first_may_go.let_go();
  second_may_go.let_go();
  EXPECT_EQ(first.wait().status, 0);
  EXPECT_EQ(second.wait().status, 0);
  EXPECT_EQ(exclusive.wait().status, 0);
}

TEST_F(LockCommandTest, TheLocksOfOtherLibrariesAreHeeded) {
  for (const std::string other : {"-lock-", "-__WRIT__", "-__READ__", "__lock__"}) {
    OperatorLab lab;
    const std::string contender = lab.lock() + "/other" + other + "0000000000";
    lab.create(lab.lock());
    lab.create(contender);
    const bool reader = other == "-__READ__";
    EXPECT_EQ(run_command(lab.locked({"--timeout", "0"}, {"true"})).status, 75) << other;
    EXPECT_EQ(run_command(lab.locked({"--timeout", "0", "--shared"}, {"true"})).status,
              reader ? 0 : 75)
        << other;
    lab.remove(contender);
    EXPECT_EQ(run_command(lab.locked({"--timeout", "0"}, {"true"})).status, 0) << other;
  }
}

// -------------------------------------------------------------------------------------- signals

TEST_F(LockCommandTest, ASignalEndsTheWaitAndThePlaceInTheQueue) {
  Fifo runs = lab_.fifo("runs");
  const Fifo go = lab_.fifo("go");
  RunningProgram holder(lab_.locked_sh({}, "echo > " + runs.path() + "; read _ < " + go.path()));
  static_cast<void>(runs.read_line());
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    RunningProgram waiter(lab_.locked({}, {"true"}));
    lab_.wait_until(1, 1);
    waiter.send(signal);
    const ProgramRun run = waiter.wait();
    EXPECT_EQ(run.status, 128 + signal);
    EXPECT_EQ(run.err, "");
    lab_.wait_until(1, 0);
  }
  go.let_go();
  EXPECT_EQ(holder.wait().status, 0);
}

TEST_F(LockCommandTest, SignalsGoOnToTheCommand) {
  const std::string real_time = to_string(SIGRTMIN + 1);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGALRM, SIGPWR, SIGRTMIN + 1}) {
    Fifo runs = lab_.fifo("runs" + to_string(signal));
    RunningProgram program(lab_.locked_sh({}, "trap 'exit 9' INT TERM HUP USR1 ALRM PWR " +
                                                  real_time + "; echo > " + runs.path() + "; " +
                                                  lab_.endless_read()));
    static_cast<void>(runs.read_line());
    program.send(signal);
    const ProgramRun run = program.wait();
    EXPECT_EQ(run.status, 9) << signal;
    EXPECT_EQ(run.err, "");
  }
  EXPECT_TRUE(lab_.show().at("holders").empty());
}

TEST_F(LockCommandTest, ACommandThatDiesOfAForwardedSignalSaysSo) {
  Fifo runs = lab_.fifo("runs");
  RunningProgram program(lab_.locked_sh({}, "echo > " + runs.path() + "; exec sleep 1000"));
  static_cast<void>(runs.read_line());
  program.send(SIGTERM);
  EXPECT_EQ(program.wait().status, 128 + SIGTERM);
  lab_.wait_until(0, 0);
}

// The FIFO ends when the shell and its child have ended: both have it open.
TEST_F(LockCommandTest, AKilledProgramTakesTheCommandAndItsProcessesAlong) {
  Fifo runs = lab_.fifo("runs");
  RunningProgram program(
      lab_.locked_sh({}, "trap '' TERM; exec 3> " + runs.path() + "; echo >&3; sleep 1000; true"));
  static_cast<void>(runs.read_line());
  program.send(SIGKILL);
  runs.wait_for_the_end();
  EXPECT_EQ(program.wait().signal, SIGKILL);
}

TEST_F(LockCommandTest, ProcessesThatTheCommandLeavesInItsGroupEndBeforeTheRelease) {
  Fifo runs = lab_.fifo("runs");
  RunningProgram program(
      lab_.locked_sh({}, "trap '' TERM HUP; sleep 1000 & echo $! > " + runs.path() + "; exit 4"));
  const std::string left = runs.read_line();
  EXPECT_EQ(program.wait().status, 4);
  EXPECT_FALSE(lives(left));
}

TEST_F(LockCommandTest, AWarningLeavesTheProcessesOfTheGroupAlone) {
  Fifo runs = lab_.fifo("runs");
  RunningProgram program(
      lab_.locked_sh({"--on-loss", "warn"}, "sleep 1000 & echo $! > " + runs.path() + "; exit 4"));
  const std::string left = runs.read_line();
  EXPECT_EQ(program.wait().status, 4);
  EXPECT_TRUE(lives(left));
  kill(std::stoi(left), SIGKILL);
}

// Orphans below this process become children of the program, as if it were the first process of a
// container. That of the script ends after its parent, and waits to be reaped.
TEST_F(LockCommandTest, OrphansThatTheProgramAdoptsAreReaped) {
  const std::string file = lab_.file("orphan", "");
  const std::string go = lab_.fifo("go").path();
  std::vector<std::string> command =
      lab_.locked_sh({}, "(read _ < " + go + " & echo $! > " + file + "); orphan=$(cat " + file +
                             "); echo > " + go +
                             "; looks=0; while [ -e /proc/$orphan ]; do looks=$((looks + 1)); "
                             "[ $looks -lt 1000000 ] || exit 1; done");
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  const pid_t program = fork();
  if (program == 0) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    execv(words.front(), words.data());
    _exit(2);
  }
  int status = 0;
  waitpid(program, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// As a command that runs sudo: lockstep may not send signals to it.
TEST_F(LockCommandTest, AProcessOfAnotherUserIsReported) {
  Fifo runs = lab_.fifo("runs");
  const std::vector<std::string> locked = lab_.locked_sh(
      {}, "setpriv --reuid=65534 --clear-groups sleep 1000 & echo $! > " + runs.path() +
              "; until grep -q '^Uid:.65534' /proc/$!/status; do :; done; exit 4");
  RunningProgram program(as_weak_root(locked));
  const std::string left = runs.read_line();
  expect_one_line(program.wait(), 4, "process " + left + " of the command may outlive the lock");
  EXPECT_TRUE(lives(left));
  kill_as_root(left);
}

// ---------------------------------------------------------------------------------- revocation

TEST_F(LockCommandTest, ARevocationAsksTheCommandToEnd) {
  expect_one_line(lab_.revoke(), 2, lab_.lock());
  Fifo runs = lab_.fifo("runs");
  RunningProgram program(
      lab_.locked_sh({}, "trap 'exit 5' TERM; echo > " + runs.path() + "; " + lab_.endless_read()));
  static_cast<void>(runs.read_line());
  const ProgramRun asked = lab_.revoke();
  EXPECT_EQ(asked.status, 0) << asked.err;
  EXPECT_EQ(asked.out, lab_.lock() + ": asked 1 holder\n");
  expect_one_line(program.wait(), 5, "another client asks for the lock");
  lab_.wait_until(0, 0);
}

}  // namespace
}  // namespace lockstep
