// `lockstep lock` with a lock in doubt or lost: the command ends before another contender holds.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <optional>
#include <string>

#include "production/child_process.h"
#include "production/operator_lab.h"
#include "real/loopback.h"
#include "real/server_process.h"
#include "real/tcp_proxy.h"

namespace lockstep {
namespace {

using support::TcpProxy;
using support::ZookeeperServer;

// A command that runs under a lock, behind a proxy.
class LockLossTest : public ::testing::Test {
 protected:
  // `script` follows the line that prints its process id; it has the FIFO `runs` open as descriptor
  // 3.
  void start(const std::string& script, const std::vector<std::string>& more = {}) {
    std::vector<std::string> options = {"--session-timeout", "2s"};
    options.insert(options.end(), more.begin(), more.end());
    program.emplace(lab.locked_sh(
        options, "exec 3> " + runs.path() + "; echo $$ >&3; " + script + "; sleep 1000"));
    command = runs.read_line();
  }
  // Starts a second program, whose command fails if the first one has not ended. It has its own
  // connection.
  void start_the_next() {
    const std::string status = "/proc/" + command + "/status";
    next.emplace(direct_command("! grep -q '^State:.[^ZX]' " + status + " 2> /dev/null"));
  }
  [[nodiscard]] std::vector<std::string> direct_command(const std::string& script) const {
    return lockstep_command({"lock", lab.lock(), "--zookeeper", ZookeeperServer::shared().address(),
                             "--", "sh", "-c", script});
  }
  void expect_that_the_next_came_later() {
    const ProgramRun run = next->wait();
    EXPECT_EQ(run.status, 0) << "both commands ran at once; " << run.err;
  }

  TcpProxy proxy{ZookeeperServer::shared().port()};
  OperatorLab lab{proxy.address()};
  Fifo runs = lab.fifo("runs");
  std::optional<RunningProgram> program;
  std::optional<RunningProgram> next;
  std::string command;
};

TEST_F(LockLossTest, AtALostConnectionTheCommandIsStopped) {
  start("true");
  start_the_next();
  lab.wait_until(1, 1);
  proxy.refuse();
  expect_one_line(program->wait(), 76, lab.lock());
  expect_that_the_next_came_later();
}

TEST_F(LockLossTest, ACommandThatTidiesUpHasTimeForIt) {
  start("trap 'echo tidy >&3; exit 0' TERM; " + lab.endless_read());
  proxy.refuse();
  expect_one_line(program->wait(), 76, "in doubt");
}

TEST_F(LockLossTest, ACommandThatIgnoresTheSignalIsKilledWithItsProcesses) {
  start("trap '' TERM; sleep 1000 & sleep 1000");
  start_the_next();
  lab.wait_until(1, 1);
  proxy.refuse();
  runs.wait_for_the_end();
  expect_one_line(program->wait(), 76, "in doubt");
  expect_that_the_next_came_later();
}

TEST_F(LockLossTest, ASilentServerIsALossToo) {
  start("trap '' TERM");
  start_the_next();
  lab.wait_until(1, 1);
  proxy.stall();
  expect_one_line(program->wait(), 76, "in doubt");
  expect_that_the_next_came_later();
}

TEST_F(LockLossTest, AStoppedProgramDoesNotLetItsCommandOutliveTheLock) {
  start("true");
  start_the_next();
  lab.wait_until(1, 1);
  program->send(SIGSTOP);
  runs.wait_for_the_end();
  expect_that_the_next_came_later();
  program->send(SIGCONT);
  EXPECT_EQ(program->wait().status, 76);
}

// The session may still be there when the program goes on.
TEST_F(LockLossTest, AProgramThatGoesOnAfterItsGuardHasKilledSaysSo) {
  start("true");
  program->send(SIGSTOP);
  runs.wait_for_the_end();
  program->send(SIGCONT);
  expect_one_line(program->wait(), 76, lab.lock());
}

// The process of the guard of `program`; 0 if there is none but `last`.
int guard_of(const RunningProgram& program, int last = 0) {
  return program::child_called("lock-guard", program.process(), last);
}

int wait_for_guard(const RunningProgram& program, int last = 0) {
  for (;;) {
    if (const int guard = guard_of(program, last)) return guard;
  }
}

TEST_F(LockLossTest, AGuardThatIsKilledHasASuccessor) {
  start("trap '' TERM; sleep 1000");
  const int first = wait_for_guard(*program);
  kill(first, SIGKILL);
  wait_for_guard(*program, first);
  program->send(SIGKILL);
  runs.wait_for_the_end();
}

bool is_stopped(int process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string word;
  file >> word >> word >> word;
  return word == "T";
}

TEST_F(LockLossTest, AGuardThatIsStoppedGoesOn) {
  start("trap '' TERM; sleep 1000");
  const int guard = wait_for_guard(*program);
  do {
    kill(guard, SIGSTOP);
  } while (!is_stopped(guard));
  while (is_stopped(guard)) {
  }
  program->send(SIGKILL);
  runs.wait_for_the_end();
}

TEST_F(LockLossTest, AStoppedGuardDoesNotKeepTheLock) {
  const Fifo go = lab.fifo("go");
  start("read _ < " + go.path() + "; exit 3", {"--on-loss", "warn"});
  kill(wait_for_guard(*program), SIGSTOP);
  go.let_go();
  EXPECT_EQ(program->wait().status, 3);
  lab.wait_until(0, 0);
}

TEST_F(LockLossTest, ADeletedZnodeIsALoss) {
  start("trap '' TERM");
  const nlohmann::json shown = lab.wait_until(1, 0);
  lab.remove(shown.at("holders").at(0).at("znode"));
  expect_one_line(program->wait(), 76, "lost: no node");
}

TEST_F(LockLossTest, AWarningLeavesTheCommandAlone) {
  const Fifo go = lab.fifo("go");
  start("read _ < " + go.path() + "; exit 3", {"--on-loss", "warn"});
  proxy.refuse();
  EXPECT_EQ(run_command(direct_command("true")).status, 0) << "the session expires";
  proxy.accept_again();
  go.let_go();
  const ProgramRun run = program->wait();
  EXPECT_EQ(run.status, 3);
  EXPECT_NE(run.err.find("in doubt"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("the lock is lost"), std::string::npos) << run.err;
}

// As a command that runs sudo: lockstep may not send signals to it.
TEST_F(LockLossTest, ACommandOfAnotherUserIsReported) {
  const std::vector<std::string> locked = lab.locked_sh(
      {"--session-timeout", "2s"},
      "exec setpriv --reuid=65534 --clear-groups sh -c 'echo $$ >&3; sleep 1000' 3> " +
          runs.path());
  program.emplace(as_weak_root(locked));
  command = runs.read_line();
  proxy.refuse();
  EXPECT_EQ(run_command(direct_command("true")).status, 0) << "the session expires";
  kill_as_root("-" + command);
  const ProgramRun run = program->wait();
  EXPECT_EQ(run.status, 76);
  EXPECT_NE(run.err.find("process " + command + " of the command may outlive the lock"),
            std::string::npos)
      << run.err;
}

TEST_F(LockLossTest, AWarningThatNobodyReadsLeavesTheCommandAlone) {
  const Fifo warnings = lab.fifo("warnings");
  std::vector<std::string> muted = {"/bin/sh", "-c", "exec \"$@\" 2> " + warnings.path(), "sh"};
  const std::vector<std::string> locked =
      lab.locked_sh({"--session-timeout", "2s", "--on-loss", "warn"},
                    "trap 'exit 3' USR1; echo > " + runs.path() + "; " + lab.endless_read());
  muted.insert(muted.end(), locked.begin(), locked.end());
  program.emplace(muted);
  close(open(warnings.path().c_str(), O_RDONLY | O_CLOEXEC));
  static_cast<void>(runs.read_line());
  proxy.refuse();
  EXPECT_EQ(run_command(direct_command("true")).status, 0) << "the session expires";
  proxy.accept_again();
  program->send(SIGUSR1);
  const ProgramRun run = program->wait();
  EXPECT_EQ(run.status, 3) << "signal " << run.signal;
}

TEST_F(LockLossTest, AWaiterWhoseSessionExpiresWaitsAgain) {
  Fifo holds = lab.fifo("holds");
  const Fifo go = lab.fifo("go");
  RunningProgram holder(direct_command("echo > " + holds.path() + "; read _ < " + go.path()));
  static_cast<void>(holds.read_line());
  RunningProgram waiter(lab.locked({"--session-timeout", "1s"}, {"echo", "done"}));
  lab.wait_until(1, 1);
  proxy.refuse();
  lab.wait_until(1, 0);
  proxy.accept_again();
  lab.wait_until(1, 1);
  go.let_go();
  EXPECT_EQ(holder.wait().status, 0);
  const ProgramRun run = waiter.wait();
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "done\n");
  EXPECT_NE(run.err.find("waiting again"), std::string::npos) << run.err;
}

TEST(LockServerTest, AKilledServerStopsTheCommand) {
  const support::TemporaryDirectory directory;
  support::ServerProcess server(directory.path());
  server.configure(support::free_port(), ZookeeperServer::kTickTime, "");
  server.start();
  ASSERT_TRUE(server.wait_until_ready());
  const OperatorLab lab("127.0.0.1:" + std::to_string(server.port()));
  Fifo runs = lab.fifo("runs");
  RunningProgram program(lab.locked_sh({"--session-timeout", "2s"},
                                       "exec 3> " + runs.path() + "; echo >&3; sleep 1000"));
  static_cast<void>(runs.read_line());
  server.stop();
  runs.wait_for_the_end();
  expect_one_line(program.wait(), 76, "in doubt");
  expect_one_line(run_command(lab.locked({"--timeout", "300ms"}, {"true"})), 75, "refused");
}

}  // namespace
}  // namespace lockstep
