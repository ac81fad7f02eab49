// The run of a command under a lock, in this process.
#include "production/lock_run.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "lockstep/session_observer.h"
#include "lockstep/zookeeper/client.h"
#include "production/child_process.h"
#include "production/operator_lab.h"
#include "support/no_descriptor_left.h"

namespace lockstep::program {
namespace {

// Runs `sleep` under a lock, or another command.
class LockRunTest : public ::testing::Test {
 protected:
  LockRunTest() {
    settings.path = lab.lock();
    settings.command = {"sleep", "1000"};
  }
  ~LockRunTest() override { pthread_sigmask(SIG_SETMASK, &mask_, nullptr); }

  int run(SessionObserver& observer) {
    const InheritedDescriptors inherited;
    Signals signals;
    zookeeper::Runtime runtime;
    const std::string server = support::ZookeeperServer::shared().address();
    zookeeper::Client client(runtime, zookeeper::Options(server, session_timeout));
    client.set_observer(&observer);
    LockRun locked(settings, Path(settings.path), client, signals, inherited);
    runtime.run(locked.run());
    return locked.status();
  }

  const OperatorLab lab;
  LockSettings settings;
  Duration session_timeout = Ensemble::kUsualSessionTimeout;

 private:
  static sigset_t mask_now() {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    return mask;
  }
  const sigset_t mask_ = mask_now();
};

// Once the command runs, ends its guard, which can have no successor. Looks at the command when the
// lock is released.
class EndsTheGuard final : public SessionObserver {
 public:
  [[nodiscard]] bool is_over() const { return released_; }
  [[nodiscard]] bool command_lived() const { return command_lived_; }

 private:
  void requested(OpCode op) override {
    if (command_ == 0) return end_guard();
    if (op != OpCode::kRemove) return;
    released_ = true;
    command_lived_ = kill(command_, 0) == 0;
    none_left_.reset();
  }
  void end_guard() {
    const pid_t guard = child_called("lock-guard", getpid());
    command_ = child_called("sleep", getpid());
    if (guard == 0 || command_ == 0) return;
    none_left_.emplace();
    kill(guard, SIGKILL);
  }

  std::optional<support::NoDescriptorLeft> none_left_;
  pid_t command_ = 0;
  bool released_ = false;
  bool command_lived_ = false;
};

TEST_F(LockRunTest, AnExceptionKillsTheCommandBeforeItReleasesTheLock) {
  EndsTheGuard observer;
  EXPECT_THROW(run(observer), std::system_error);
  EXPECT_TRUE(observer.is_over());
  EXPECT_FALSE(observer.command_lived());
}

// The commands of a process that stops just before it makes one, for longer than the session
// timeout. The guard of the command is slow, too.
class Stop {
 public:
  static constexpr std::chrono::seconds kSessionTimeout{1};
  Stop() {
    static const int registered = pthread_atfork(&in_parent, nullptr, &in_child);
    EXPECT_EQ(registered, 0);
    forks_ = 0;
  }
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;
  ~Stop() { forks_ = kNone; }

 private:
  static constexpr int kNone = 1000;
  static void in_parent() {
    if (++forks_ != 1) return;
    const auto end = std::chrono::steady_clock::now() + kSessionTimeout;
    while (std::chrono::steady_clock::now() < end) continue;
  }
  static void in_child() {
    if (forks_ == 2) raise(SIGSTOP);
  }

  static inline int forks_ = kNone;
};

// Hears when a file is executed.
class Executions {
 public:
  explicit Executions(const std::string& file) : events_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    EXPECT_NE(inotify_add_watch(events_, file.c_str(), IN_OPEN), -1);
  }
  Executions(const Executions&) = delete;
  Executions& operator=(const Executions&) = delete;
  ~Executions() { close(events_); }
  // Since the last call.
  [[nodiscard]] bool heard() const {
    std::array<char, 4096> events{};
    return read(events_, events.data(), events.size()) > 0;
  }

 private:
  int events_;
};

TEST_F(LockRunTest, ACommandDoesNotBeginAfterItsLockIsInDoubt) {
  const std::string command = lab.file("command", "#!/bin/sh\n");
  std::filesystem::permissions(command, std::filesystem::perms::owner_all);
  settings.command = {command};
  const Executions executions(command);
  SessionObserver none;
  EXPECT_EQ(run(none), 0);
  EXPECT_TRUE(executions.heard());
  session_timeout = Stop::kSessionTimeout;
  const Stop stop;
  EXPECT_EQ(run(none), kLost);
  EXPECT_FALSE(executions.heard());
}

}  // namespace
}  // namespace lockstep::program
