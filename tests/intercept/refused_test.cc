#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "small_world.h"

// Calls that cannot be intercepted are named.

namespace lockstep::intercept {
namespace {

struct Refused {
  std::string text;
  std::function<void()> call;
};

void expect_refused(const Refused& refused) {
  SmallWorld world;
  bool went_on = false;
  world.run([&] {
    refused.call();
    went_on = true;
  });
  EXPECT_FALSE(went_on) << refused.text;
  EXPECT_EQ(world.misuses(), std::vector<std::string>{refused.text});
}

TEST(RefusedCallsTest, ProcessesAreNotStartedOrAwaited) {
  static constexpr char kNone[] = "/nonexistent";
  char name[] = "nonexistent";
  char* const arguments[] = {name, nullptr};
  const std::string why = ": hunted code cannot start or await processes";
  expect_refused({"execl" + why, [] { ::execl(kNone, "a", "b", nullptr); }});
  expect_refused({"execlp" + why, [] { ::execlp(kNone, "a", nullptr); }});
  expect_refused({"execle" + why, [&] { ::execle(kNone, "a", nullptr, arguments); }});
  expect_refused({"execvpe" + why, [&] { ::execvpe(kNone, arguments, arguments); }});
  expect_refused({"fexecve" + why, [&] { ::fexecve(-1, arguments, arguments); }});
  expect_refused({"wait3" + why, [] { ::wait3(nullptr, 0, nullptr); }});
  expect_refused({"wait4" + why, [] { ::wait4(-1, nullptr, 0, nullptr); }});
  expect_refused({"waitid" + why, [] { ::waitid(P_ALL, 0, nullptr, WEXITED); }});
}

TEST(RefusedCallsTest, SignalsAreNotSentOrAwaited) {
  const std::string why = ": hunted code cannot send or await signals, or cancel threads";
  static const itimerval kNever{};
  expect_refused({"setitimer" + why, [] { ::setitimer(ITIMER_REAL, &kNever, nullptr); }});
  expect_refused({"ualarm" + why, [] { ::ualarm(0, 0); }});
  expect_refused({"pthread_sigqueue" + why, [] { ::pthread_sigqueue(pthread_self(), 0, {}); }});
}

TEST(RefusedCallsTest, NamesAreNotResolvedByOldFunctions) {
  const std::string why = ": this function cannot be intercepted; use getaddrinfo";
  static hostent entry{};
  static hostent* result = nullptr;
  static std::array<char, 512> room{};
  static int error = 0;
  const in_addr address{};
  expect_refused({"gethostbyname" + why, [] { ::gethostbyname("localhost"); }});
  expect_refused({"gethostbyname2" + why, [] { ::gethostbyname2("localhost", AF_INET); }});
  expect_refused(
      {"gethostbyaddr" + why, [&] { ::gethostbyaddr(&address, sizeof address, AF_INET); }});
  expect_refused({"gethostbyname_r" + why, [] {
                    ::gethostbyname_r("a", &entry, room.data(), room.size(), &result, &error);
                  }});
}

TEST(RefusedCallsTest, ProcessesShareNoLocks) {
  const std::string why = ": locks and queues that processes share cannot be intercepted";
  expect_refused({"flock" + why, [] { ::flock(STDIN_FILENO, LOCK_EX); }});
  for (const int command : {F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW}) {
    struct flock all{};
    expect_refused({"fcntl" + why, [&] { ::fcntl(STDIN_FILENO, command, &all); }});
  }
}

// Calls on another stack would go to libc, and wait in real time.
TEST(RefusedCallsTest, ThreadsKeepTheirStack) {
  static ucontext_t here{};
  static ucontext_t there{};
  static std::array<char, 16'384> stack{};
  ::getcontext(&there);
  there.uc_stack.ss_sp = stack.data();
  there.uc_stack.ss_size = stack.size();
  there.uc_link = &here;
  ::makecontext(&there, [] { ::sched_yield(); }, 0);
  expect_refused({"swapcontext: calls are intercepted on the stack of a thread only",
                  [] { ::swapcontext(&here, &there); }});
  EXPECT_EQ(::swapcontext(&here, &there), 0);
}

TEST(RefusedCallsTest, PairsAreStreams) {
  int ends[2];
  for (const int type : {SOCK_DGRAM, SOCK_SEQPACKET}) {
    expect_refused({"socketpair: only pairs of AF_UNIX and SOCK_STREAM can be intercepted",
                    [&] { ::socketpair(AF_UNIX, type, 0, ends); }});
  }
}

TEST(RefusedCallsTest, SocketsAreOfTcp) {
  const std::string why = "socket: only sockets of TCP can be intercepted";
  expect_refused({why, [] { ::socket(AF_UNIX, SOCK_STREAM, 0); }});
  expect_refused({why, [] { ::socket(AF_INET, SOCK_DGRAM, 0); }});
}

TEST(RefusedCallsTest, FilesAloneAreSpliced) {
  const std::string why = ": this function cannot be intercepted for a pipe or a socket";
  const auto with_pipe = [](const std::function<void(int)>& call) {
    return [=] {
      int ends[2];
      ASSERT_EQ(::pipe(ends), 0);
      call(ends[1]);
    };
  };
  expect_refused({"sendfile" + why, with_pipe([](int to) { ::sendfile(to, 0, nullptr, 1); })});
  expect_refused({"splice" + why, with_pipe([](int to) {
                    static_cast<void>(::splice(0, nullptr, to, nullptr, 1, 0));
                  })});
  expect_refused(
      {"preadv2" + why, with_pipe([](int from) { ::preadv2(from, nullptr, 0, -1, 0); })});
}

TEST(RefusedCallsTest, FutexesWithBitsAreRefused) {
  static std::uint32_t word = 0;
  expect_refused({"futex: waits and wakes for some bits only cannot be intercepted",
                  [] { ::syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, 1, nullptr, nullptr, 5); }});
}

// The arguments of a list get to the program.
TEST(RefusedCallsTest, OutsideOfAnExecutionTheyStartPrograms) {
  const auto status_of = [](const std::function<void()>& call) {
    const pid_t child = ::fork();
    if (child == 0) {
      call();
      ::_exit(99);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  char variable[] = "STATUS=7";
  char* const variables[] = {variable, nullptr};
  EXPECT_EQ(status_of([] { ::execl("/bin/sh", "sh", "-c", "exit 5", nullptr); }), 5);
  EXPECT_EQ(status_of([] { ::execlp("sh", "sh", "-c", "exit $1", "0", "6", nullptr); }), 6);
  EXPECT_EQ(status_of([&] { ::execle("/bin/sh", "sh", "-c", "exit $STATUS", nullptr, variables); }),
            7);
}

}  // namespace
}  // namespace lockstep::intercept
