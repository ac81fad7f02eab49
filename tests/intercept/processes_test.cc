#include <arpa/inet.h>
#include <errno.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "small_world.h"

// Processes of an execution: their IDs, the signals that they send, and what their end leaves.

namespace lockstep::intercept {
namespace {

TEST(InterceptedProcessesTest, EachHasItsOwnId) {
  std::array<pid_t, 2> processes{};
  std::array<pid_t, 2> of_threads{};
  std::vector<std::function<void()>> bodies;
  for (std::size_t i = 0; i < 2; ++i) {
    bodies.emplace_back([&, i] {
      processes[i] = ::getpid();
      EXPECT_EQ(::gettid(), ::getpid());
      std::thread([&] {
        of_threads[i] = ::getpid();
        EXPECT_NE(::gettid(), ::getpid());
      }).join();
    });
  }
  run_processes_in_orders(bodies);
  EXPECT_NE(processes[0], processes[1]);
  EXPECT_EQ(processes, of_threads);
}

TEST(InterceptedProcessesTest, SystemCallsAgreeAboutIds) {
  run_in_orders([] {
    EXPECT_EQ(::syscall(SYS_getpid), ::getpid());
    EXPECT_EQ(::syscall(SYS_getppid), ::getppid());
    std::thread([] { EXPECT_EQ(::syscall(SYS_gettid), ::gettid()); }).join();
  });
}

TEST(InterceptedProcessesTest, EachHasItsOwnDescriptors) {
  int ends[2] = {-1, -1};
  const auto talk = [&] {
    ASSERT_EQ(::pipe(ends), 0);
    const std::array own = {ends[0], ends[1]};
    std::this_thread::sleep_for(std::chrono::seconds(2));
    EXPECT_EQ(::write(own[1], "x", 1), 1);
    for (const int file : own) EXPECT_EQ(::close(file), 0);
  };
  const auto close_those = [&] {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    EXPECT_EQ(::close(ends[0]), -1);
    EXPECT_EQ(errno, EBADF);
    int own[2];
    ASSERT_EQ(::pipe(own), 0);
    EXPECT_EQ(own[0], ends[0]);
    EXPECT_EQ(::close_range(3, ~0U, 0), 0);
    EXPECT_EQ(::close(own[0]), -1);
  };
  run_processes_in_orders({talk, close_those});
}

TEST(InterceptedProcessesTest, GroupsAndPrioritiesAreOfTheExecution) {
  run_in_orders([] {
    EXPECT_EQ(::getpgid(::getpid()), ::getppid());
    EXPECT_EQ(::getpgid(0), ::getpgrp());
    EXPECT_EQ(::getsid(::getpid()), ::getppid());
    EXPECT_EQ(::getpgid(::getpid() + 1), -1);
    EXPECT_EQ(errno, ESRCH);
    EXPECT_EQ(::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 5), 0);
    EXPECT_EQ(::getpriority(PRIO_PROCESS, 0), 0);
    EXPECT_EQ(::setpriority(PRIO_PROCESS, static_cast<id_t>(::getpid() + 1), 5), -1);
    EXPECT_EQ(errno, ESRCH);
  });
}

TEST(InterceptedProcessesTest, SignalZeroAsksForAProcess) {
  pid_t ended = 0;
  SmallWorld world;
  world.run([&] {
    ended = ::getpid();
    EXPECT_EQ(::kill(::getpid(), 0), 0);
    EXPECT_EQ(::tgkill(::getpid(), ::gettid(), 0), 0);
    EXPECT_EQ(::pthread_kill(::pthread_self(), 0), 0);
    EXPECT_EQ(::kill(::getpid() + 1, 0), -1);
    EXPECT_EQ(errno, ESRCH);
  });
  EXPECT_TRUE(world.misuses().empty());
}

int caught = 0;
pid_t came_from = 0;

void note_signal(int) { ++caught; }
void note_sender(int signal, siginfo_t* info, void*) {
  note_signal(signal);
  came_from = info->si_pid;
}

TEST(InterceptedProcessesTest, AHandlerRunsAtOnceInTheSameThread) {
  run_in_orders([] {
    caught = 0;
    ASSERT_NE(::signal(SIGUSR1, &note_signal), SIG_ERR);
    EXPECT_EQ(::raise(SIGUSR1), 0);
    EXPECT_EQ(caught, 1);
    EXPECT_EQ(::kill(::getpid(), SIGUSR1), 0);
    EXPECT_EQ(caught, 2);
    EXPECT_EQ(::pthread_kill(::pthread_self(), SIGUSR1), 0);
    EXPECT_EQ(::tgkill(::getpid(), ::gettid(), SIGUSR1), 0);
    EXPECT_EQ(caught, 4);
    EXPECT_EQ(::signal(SIGUSR1, SIG_IGN), &note_signal);
    EXPECT_EQ(::raise(SIGUSR1), 0);
    EXPECT_EQ(caught, 4);
  });
}

TEST(InterceptedProcessesTest, AHandlerMayRunOnce) {
  run_in_orders([] {
    caught = 0;
    struct sigaction action{};
    action.sa_sigaction = &note_sender;
    action.sa_flags = SA_SIGINFO | SA_RESETHAND;
    ASSERT_EQ(::sigaction(SIGUSR1, &action, nullptr), 0);
    EXPECT_EQ(::raise(SIGUSR1), 0);
    EXPECT_EQ(caught, 1);
    EXPECT_EQ(came_from, ::getpid());
    ASSERT_EQ(::sigaction(SIGUSR1, nullptr, &action), 0);
    EXPECT_EQ(action.sa_handler, SIG_DFL);
  });
}

// The hunt has its own handlers, and so has each execution.
TEST(InterceptedProcessesTest, HandlersBelongToTheirProcess) {
  run_processes_in_orders({[] { ::signal(SIGTERM, &note_signal); },
                           [] {
                             std::this_thread::sleep_for(std::chrono::seconds(1));
                             EXPECT_EQ(::signal(SIGTERM, SIG_IGN), SIG_DFL);
                           }});
  struct sigaction real{};
  ASSERT_EQ(::sigaction(SIGTERM, nullptr, &real), 0);
  EXPECT_EQ(real.sa_handler, SIG_DFL);
}

sigset_t blocked_now() {
  sigset_t blocked;
  EXPECT_EQ(::pthread_sigmask(SIG_BLOCK, nullptr, &blocked), 0);
  return blocked;
}

// The real thread keeps its mask: a signal may tell it that the execution does not end.
TEST(InterceptedProcessesTest, EachThreadBlocksItsOwnSignals) {
  run_in_orders([] {
    sigset_t all;
    ::sigfillset(&all);
    ASSERT_EQ(::sigprocmask(SIG_SETMASK, &all, nullptr), 0);
    std::thread other([] {
      sigset_t one;
      ::sigemptyset(&one);
      ::sigaddset(&one, SIGUSR1);
      sigset_t before;
      EXPECT_EQ(::pthread_sigmask(SIG_UNBLOCK, &one, &before), 0);
      EXPECT_EQ(::sigismember(&before, SIGUSR1), 1) << "its creator blocks it";
      const sigset_t blocked = blocked_now();
      EXPECT_EQ(::sigismember(&blocked, SIGUSR1), 0);
      EXPECT_EQ(::sigismember(&blocked, SIGUSR2), 1);
      EXPECT_EQ(::sigismember(&blocked, SIGKILL), 0);
    });
    other.join();
    const sigset_t blocked = blocked_now();
    EXPECT_EQ(::sigismember(&blocked, SIGUSR1), 1);
    EXPECT_EQ(::pthread_sigmask(3, &blocked, nullptr), EINVAL);
  });
  const sigset_t real = blocked_now();
  EXPECT_EQ(::sigismember(&real, SIGALRM), 0);
}

TEST(InterceptedProcessesTest, SignalsThatAreIgnoredDoNothing) {
  run_in_orders([] {
    EXPECT_EQ(::kill(::getpid(), SIGCHLD), 0);
    EXPECT_EQ(::kill(::getpid(), 65), -1);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(::signal(SIGKILL, SIG_IGN), SIG_ERR);
    EXPECT_EQ(errno, EINVAL);
  });
}

TEST(InterceptedProcessesTest, ASignalWithoutAHandlerEndsTheProcess) {
  int went_on = 0;
  SmallWorld world;
  world.run([&] {
    ::kill(::getpid(), SIGTERM);
    ++went_on;
  });
  EXPECT_EQ(went_on, 0);
  EXPECT_TRUE(world.stuck().empty());
  EXPECT_TRUE(world.misuses().empty());
}

void expect_refused(const std::string& name, const std::function<void()>& call) {
  SmallWorld world;
  world.run(call);
  ASSERT_EQ(world.misuses().size(), 1u) << name;
  EXPECT_EQ(world.misuses()[0].rfind(name + ": hunted code cannot", 0), 0u) << world.misuses()[0];
}

// The numbers of processes are simulated ones: none of these calls may reach the system.
TEST(InterceptedProcessesTest, SignalsToOthersAndBlockedOnesAreRefused) {
  expect_refused("kill", [] { ::kill(::getpid() + 1, SIGUSR1); });
  expect_refused("kill", [] { ::kill(0, SIGUSR1); });
  expect_refused("kill", [] { ::kill(::getpid(), SIGSTOP); });
  expect_refused("raise", [] {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    ::signal(SIGUSR1, &note_signal);
    ::raise(SIGUSR1);
  });
  expect_refused("raise", [] {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    ::raise(SIGTERM);  // Would end the process if it were not blocked.
  });
  expect_refused("killpg", [] { ::killpg(::getpid(), SIGUSR1); });
  expect_refused("tgkill", [] { ::tgkill(::getpid(), ::gettid() + 1, SIGUSR1); });
  expect_refused("sigqueue", [] { ::sigqueue(::getpid(), SIGUSR1, {}); });
  expect_refused("pthread_sigqueue", [] { ::pthread_sigqueue(::pthread_self(), SIGUSR1, {}); });
  expect_refused("pthread_kill", [] {
    std::thread other([] { std::this_thread::yield(); });
    ::pthread_kill(other.native_handle(), SIGUSR1);
  });
}

TEST(InterceptedProcessesTest, TimersThatSendSignalsAreRefused) {
  expect_refused("setitimer", [] {
    const itimerval hour{{}, {3600, 0}};
    ::setitimer(ITIMER_VIRTUAL, &hour, nullptr);
  });
  expect_refused("ualarm", [] { ::ualarm(0, 0); });
}

char* const kNothing[] = {nullptr};

TEST(InterceptedProcessesTest, ChildrenAreRefused) {
  expect_refused("wait3", [] { ::wait3(nullptr, WNOHANG, nullptr); });
  expect_refused("wait4", [] { ::wait4(-1, nullptr, WNOHANG, nullptr); });
  expect_refused("waitid", [] { ::waitid(P_ALL, 0, nullptr, WNOHANG | WEXITED); });
  expect_refused("execvpe", [] { ::execvpe("/none", kNothing, kNothing); });
  expect_refused("fexecve", [] { ::fexecve(-1, kNothing, kNothing); });
  expect_refused("_Fork", [] { static_cast<void>(::_Fork()); });
  expect_refused("daemon", [] { static_cast<void>(::daemon(1, 1)); });
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

constexpr std::uint16_t kPort = 7000;

int listen_at_port() {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = loopback(kPort);
  EXPECT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::listen(listener, 1), 0);
  return listener;
}

// Returns -1 if nobody listens.
int connect_to_port() {
  const int file = ::socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = loopback(kPort);
  if (::connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return file;
  }
  ::close(file);
  return -1;
}

int connect_to_listener() {
  for (;;) {
    if (const int file = connect_to_port(); file >= 0) return file;
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
}

void expect_end_of_connection() {
  const int file = connect_to_listener();
  char byte = 0;
  EXPECT_EQ(::recv(file, &byte, 1, 0), 0);
}

TEST(InterceptedProcessesTest, APeerSeesTheEndOfAProcess) {
  const auto serve = [] {
    ::accept(listen_at_port(), nullptr, nullptr);
    ::_exit(0);
  };
  const auto visit = [] {
    expect_end_of_connection();
    EXPECT_EQ(connect_to_port(), -1);
  };
  run_processes_in_orders({serve, visit});
}

TEST(InterceptedProcessesTest, APeerSeesTheEndOfTheLastThread) {
  const auto serve = [] { ::accept(listen_at_port(), nullptr, nullptr); };
  run_processes_in_orders({serve, &expect_end_of_connection});
}

TEST(InterceptedProcessesTest, AnEndedProcessLeavesItsDescriptorsToOthers) {
  const auto take_most = [](int hour) {
    std::this_thread::sleep_for(std::chrono::hours(hour));
    for (int i = 0; i < 300; ++i) ASSERT_GE(::eventfd(0, 0), 0);
    ::_exit(0);
  };
  run_processes_in_orders({std::bind_front(take_most, 1), std::bind_front(take_most, 2)});
}

}  // namespace
}  // namespace lockstep::intercept
