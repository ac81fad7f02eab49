#include "guard.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <limits>
#include <system_error>

#include "descriptors.h"

namespace lockstep::program {

namespace {

using Nanoseconds = std::int64_t;

// Tells the guard that it is not needed any more.
constexpr TimePoint kDismissed = TimePoint::min();

// The clock of zookeeper::Runtime, read by a call that is safe after a fork.
TimePoint now() {
  constexpr Nanoseconds kSecond = 1'000'000'000;
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return TimePoint(Duration(time.tv_sec * kSecond + time.tv_nsec));
}

int milliseconds_until(TimePoint deadline) {
  constexpr auto kLongest = std::chrono::hours(1);
  if (deadline == TimePoint::max()) return -1;
  const Duration left = std::clamp<Duration>(deadline - now(), Duration(0), kLongest);
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
}

// Runs in the child of a process with threads: only calls that are safe in a signal handler.
[[noreturn]] void stand_guard(int parents_end, int socket, pid_t group) {
  setsid();  // Protects it from signals of the terminal and of the parent's group.
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  close(parents_end);  // Otherwise the end of the parent would not end the wait.
  dup2(socket, STDIN_FILENO);
  close_descriptors(STDIN_FILENO + 1, std::numeric_limits<unsigned>::max());
  TimePoint deadline = TimePoint::max();
  for (;;) {
    pollfd message{STDIN_FILENO, POLLIN, 0};
    const int ready = poll(&message, 1, milliseconds_until(deadline));
    if (ready == 0 && now() >= deadline) break;
    if (ready <= 0) continue;
    TimePoint next;
    if (recv(STDIN_FILENO, &next, sizeof(next), 0) != sizeof(next)) break;
    if (next == kDismissed) _exit(0);
    deadline = next;
  }
  kill(-group, SIGKILL);
  _exit(0);
}

}  // namespace

Guard::Guard(pid_t group) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "no socket for the guard");
  }
  process_ = fork();
  if (process_ == 0) stand_guard(ends[0], ends[1], group);
  const int error = errno;
  close(ends[1]);
  socket_ = ends[0];
  if (process_ != -1) return;
  close(socket_);
  throw std::system_error(error, std::generic_category(), "the guard cannot be started");
}

Guard::~Guard() {
  tell(kDismissed);
  close(socket_);
  waitpid(process_, nullptr, 0);
}

void Guard::postpone_to(TimePoint deadline) { tell(deadline); }

// If the guard has ended, it has done its work.
void Guard::tell(TimePoint deadline) const {
  static_cast<void>(send(socket_, &deadline, sizeof(deadline), MSG_NOSIGNAL));
}

}  // namespace lockstep::program
