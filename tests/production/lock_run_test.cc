// The run of a command under a lock, in this process.
#include "production/lock_run.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>

#include "lockstep/session_observer.h"
#include "lockstep/zookeeper/client.h"
#include "production/operator_lab.h"
#include "support/no_descriptor_left.h"

namespace lockstep::program {
namespace {

// The child of this process with that name; 0 if there is none.
pid_t child_called(const std::string& wanted) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");  // "id (name) state parent ..."
    pid_t process = 0;
    std::string name;
    std::string state;
    pid_t parent = 0;
    file >> process >> name >> state >> parent;
    if (parent == getpid() && name == "(" + wanted + ")" && state != "Z") return process;
  }
  return 0;
}

// Runs `sleep` under a lock.
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
    zookeeper::Client client(runtime,
                             zookeeper::Options(support::ZookeeperServer::shared().address()));
    client.set_observer(&observer);
    LockRun locked(settings, Path(settings.path), client, signals, inherited);
    runtime.run(locked.run());
    return locked.status();
  }

  const OperatorLab lab;
  LockSettings settings;

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
    const pid_t guard = child_called("lock-guard");
    command_ = child_called("sleep");
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

}  // namespace
}  // namespace lockstep::program
