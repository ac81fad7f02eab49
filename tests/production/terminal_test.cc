// `lockstep lock` as a job of a shell on a terminal.
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "production/operator_lab.h"

namespace lockstep {
namespace {

constexpr const char* kCtrlZ = "\x1a";

// A program that leads a session on a terminal of its own, as a login shell does.
class Login {
 public:
  explicit Login(std::vector<std::string> command) {
    std::vector<char*> words;
    for (std::string& word : command) words.push_back(word.data());
    words.push_back(nullptr);
    process_ = forkpty(&terminal_, nullptr, nullptr, nullptr);
    if (process_ != 0) return;
    execv(words.front(), words.data());
    _exit(127);
  }
  Login(const Login&) = delete;
  Login& operator=(const Login&) = delete;
  ~Login() {
    close(terminal_);  // Hangs up.
    if (process_ != -1) kill(process_, SIGKILL);
  }

  void type(std::string_view keys) const {
    EXPECT_EQ(write(terminal_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  void wait_for(const std::string& text) {
    while (shown_.find(text) == std::string::npos) {
      if (!read_some()) return ADD_FAILURE() << "it never shows " << text << ": " << shown_;
    }
  }
  int wait() {
    while (read_some()) {
    }
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  [[nodiscard]] const std::string& shown() const { return shown_; }

 private:
  bool read_some() {
    std::array<char, 4096> buffer{};
    const auto got = read(terminal_, buffer.data(), buffer.size());
    if (got <= 0) return false;
    shown_.append(buffer.data(), static_cast<std::size_t>(got));
    return true;
  }

  int terminal_ = -1;
  pid_t process_ = -1;
  std::string shown_;
};

class LockOnTerminalTest : public ::testing::Test {
 protected:
  // The text of a shell command that runs `script`, which contains no single quotes.
  [[nodiscard]] std::string locked(const std::string& script) const {
    std::string text;
    for (const std::string& word : lab.locked_sh({}, script)) text += "'" + word + "' ";
    return text;
  }
  // A shell with job control.
  static std::vector<std::string> shell(const std::string& script) {
    return {"/bin/bash", "--norc", "-mc", script};
  }

  OperatorLab lab;
  const std::string reading = "echo ready; read x; echo got=$x; exit 5";
};

TEST_F(LockOnTerminalTest, TheShellSeesAStoppedJobAndContinuesIt) {
  Login login(shell(locked(reading) + "; echo stopped=$?; fg; exit $?"));
  login.wait_for("ready");
  login.type(kCtrlZ);
  login.wait_for("stopped=148");
  login.type("go\n");
  login.wait_for("got=go");
  EXPECT_EQ(login.wait(), 5) << login.shown();
}

TEST_F(LockOnTerminalTest, AScriptAroundItStopsToo) {
  const std::string script = lab.file("script", locked(reading) + "\nexit $?\n");
  Login login(shell("sh " + script + "; echo stopped=$?; fg; exit $?"));
  login.wait_for("ready");
  login.type(kCtrlZ);
  login.wait_for("stopped=148");
  login.type("go\n");
  login.wait_for("got=go");
  EXPECT_EQ(login.wait(), 5) << login.shown();
}

TEST_F(LockOnTerminalTest, WithoutAShellTheCommandGoesOn) {
  Login login(lab.locked_sh({}, reading));
  login.wait_for("ready");
  login.type(kCtrlZ);
  login.type("go\n");
  login.wait_for("got=go");
  EXPECT_EQ(login.wait(), 5) << login.shown();
}

TEST_F(LockOnTerminalTest, APagerBehindItKeepsTheTerminal) {
  const Fifo go = lab.fifo("go");
  const std::string pager =
      "sh -c 'read x; echo paging; read y < /dev/tty; echo got=$y; echo > " + go.path() + "'";
  Login login(shell(locked("echo line; read x < " + go.path()) + "| " + pager + "; exit $?"));
  login.wait_for("paging");
  login.type("go\n");
  EXPECT_EQ(login.wait(), 0) << login.shown();
  EXPECT_NE(login.shown().find("got=go"), std::string::npos) << login.shown();
}

TEST_F(LockOnTerminalTest, ACommandThatReadsGetsTheTerminalThen) {
  const std::string script = "echo ready >&2; read x; echo got=$x >&2; exit 5";
  Login login(shell(locked(script) + "> /dev/null; exit $?"));
  login.wait_for("ready");
  login.type("go\n");
  login.wait_for("got=go");
  EXPECT_EQ(login.wait(), 5) << login.shown();
}

}  // namespace
}  // namespace lockstep
