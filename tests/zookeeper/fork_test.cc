#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <future>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "lockstep/blocking/mutex.h"
#include "lockstep/blocking/semaphore.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/sleep.h"
#include "lockstep/zookeeper/client.h"
#include "lockstep/zookeeper/client_thread.h"
#include "lockstep/zookeeper/runtime.h"
#include "real/zookeeper_server.h"
#include "support/lab.h"

// A forked child may call its parent's locks, but only gets an error.
namespace lockstep::zookeeper {
namespace {

using support::Lab;
using support::must;
using support::ZookeeperServer;
using namespace std::chrono_literals;

// The longest time for a child that does not hang.
constexpr int kPatienceMs = 60'000;

// The result of `body` in a forked child; nothing if the child hangs or crashes.
template <class Body>
std::optional<int> in_child(Body body) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    _exit(body());
  }
  close(ends[1]);
  pollfd gone{ends[0], POLLIN, 0};  // The child's end closes with the child.
  const bool ended = child > 0 && poll(&gone, 1, kPatienceMs) == 1;
  close(ends[0]);
  if (child > 0 && !ended) kill(child, SIGKILL);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !ended) return std::nullopt;
  return WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt;
}

template <class Call>
bool is_not_permitted(Call call) {
  try {
    call();
  } catch (const std::system_error& error) {
    return error.code() == std::errc::operation_not_permitted;
  }
  return false;
}

Options options_of_parent() {
  return Options(ZookeeperServer::shared().address(), Lab::kLongSessionTimeout);
}

// Z117: a child must not touch the handle of its parent.
TEST(ForkTest, AChildThatAsksALockGetsAnError) {
  ClientThread zookeeper(options_of_parent());
  blocking::FairMutex free(zookeeper.client(), "/fork/free");
  blocking::FairMutex mutex(zookeeper.client(), "/fork/held");
  mutex.lock();
  const auto ask = [&] {
    int wrong = 0;
    if (!is_not_permitted([&] { free.lock(); })) wrong |= 1;
    if (!is_not_permitted([&] { static_cast<void>(free.try_lock()); })) wrong |= 2;
    if (!is_not_permitted([&] { static_cast<void>(free.try_lock_for(1s)); })) wrong |= 4;
    if (!is_not_permitted([&] { static_cast<void>(mutex.fencing_token()); })) wrong |= 8;
    if (mutex.release() != ReleaseOutcome::kUnknown) wrong |= 16;
    return wrong;
  };
  EXPECT_EQ(in_child(ask), 0);
  EXPECT_EQ(mutex.state(), LockState::kHeld);
  EXPECT_EQ(mutex.release(), ReleaseOutcome::kReleased);
}

TEST(ForkTest, AChildLeavesTheScopeOfItsParentsLocks) {
  ClientThread zookeeper(options_of_parent());
  std::optional<blocking::FairMutex> mutex(std::in_place, zookeeper.client(), "/fork/scope");
  std::optional<blocking::Semaphore> semaphore(std::in_place, zookeeper.client(), "/fork/s", 1);
  std::unique_lock lock(*mutex);
  semaphore->acquire();
  const auto leave = [&] {
    lock = std::unique_lock<blocking::FairMutex>();
    semaphore->release();
    mutex.reset();
    semaphore.reset();
    return 0;
  };
  EXPECT_EQ(in_child(leave), 0);
  EXPECT_EQ(mutex->state(), LockState::kHeld);
  ClientThread other(options_of_parent());
  blocking::FairMutex rival(other.client(), "/fork/scope");
  EXPECT_FALSE(rival.try_lock());
  blocking::Semaphore no_lease_left(other.client(), "/fork/s", 1);
  EXPECT_FALSE(no_lease_left.try_acquire());
  semaphore->release();
}

TEST(ForkTest, AChildEndsItsParentsClientWithoutHanging) {
  auto zookeeper = std::make_unique<ClientThread>(options_of_parent());
  blocking::FairMutex mutex(zookeeper->client(), "/fork/client");
  mutex.lock();
  EXPECT_EQ(in_child([&] {
              zookeeper.reset();
              return 0;
            }),
            0);
  EXPECT_EQ(mutex.release(), ReleaseOutcome::kReleased);
}

Task<void> open_and_hold(lockstep::Client& client, std::shared_ptr<lockstep::Session>& session,
                         std::optional<HeldLock>& held) {
  session = must(co_await client.session(Context()), "session");
  FairMutex mutex(*session, "/fork/loop");
  held.emplace(must(co_await mutex.acquire(), "acquire"));
}
Task<void> look(lockstep::Session& session, Result<Stat>& seen) {
  seen = co_await session.exists("/fork");
}
Task<void> release(HeldLock& held, ReleaseOutcome& outcome) { outcome = co_await held.release(); }

TEST(ForkTest, AChildOfTheLoopsThreadGetsAnErrorToo) {
  auto runtime = std::make_unique<Runtime>();
  auto client = std::make_unique<Client>(*runtime, options_of_parent());
  std::shared_ptr<lockstep::Session> session;
  std::optional<HeldLock> held;
  runtime->run(open_and_hold(*client, session, held));
  const auto use_and_end = [&] {
    int wrong = 0;
    Result<Stat> seen;
    if (!is_not_permitted([&] { runtime->run(look(*session, seen)); })) wrong |= 1;
    runtime->spawn(look(*session, seen));
    if (seen || seen.error() != Error::kInvalidState) wrong |= 2;
    held.reset();
    session.reset();
    client.reset();
    runtime.reset();
    return wrong;
  };
  EXPECT_EQ(in_child(use_and_end), 0);
  ReleaseOutcome outcome = ReleaseOutcome::kUnknown;
  runtime->run(release(*held, outcome));
  EXPECT_EQ(outcome, ReleaseOutcome::kReleased);
  held.reset();
}

void try_to_lock(const Options& options, const Path& path) {
  ClientThread zookeeper(options);
  blocking::FairMutex mutex(zookeeper.client(), path);
  if (mutex.try_lock()) mutex.unlock();
}

// A thread of the parent is in the middle of a line, and does not exist in the child.
TEST(ForkTest, AChildsOwnClientHasALogToo) {
  std::promise<void> in_a_line;
  std::promise<void> forked;
  std::once_flag first;
  Options options = options_of_parent();
  options.log = [&](std::string_view) {
    std::call_once(first, [&] {
      in_a_line.set_value();
      forked.get_future().wait();
    });
  };
  std::jthread parents([&] { try_to_lock(options, "/fork/parents-log"); });
  in_a_line.get_future().wait();
  const auto log_lines = [] {
    int lines = 0;
    Options own = options_of_parent();
    own.log = [&](std::string_view) { ++lines; };
    try_to_lock(own, "/fork/childs-log");
    return lines > 0 ? 0 : 1;
  };
  EXPECT_EQ(in_child(log_lines), 0);
  forked.set_value();
}

// Whether the kernel reports this thread as sleeping.
bool is_asleep(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  const std::string stat((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return stat.find(") S ") != std::string::npos;
}

Task<void> run_until_stopped(Runtime& runtime, std::promise<pid_t>& runs, std::stop_token stop) {
  runs.set_value(gettid());
  static_cast<void>(co_await sleep_until(runtime, TimePoint::max(), stop));
}

// The thread of the loop, which fork does not copy, waits on the runtime's condition variable.
TEST(ForkTest, AChildDestroysARuntimeWhoseLoopSleeps) {
  auto runtime = std::make_unique<Runtime>();
  std::promise<pid_t> runs;
  const std::jthread loop(
      [&](const std::stop_token& stop) { runtime->run(run_until_stopped(*runtime, runs, stop)); });
  const pid_t thread = runs.get_future().get();
  while (!is_asleep(thread)) {
  }
  EXPECT_EQ(in_child([&] {
              runtime.reset();
              return 0;
            }),
            0);
}

}  // namespace
}  // namespace lockstep::zookeeper
