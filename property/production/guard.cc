#include "guard.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
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
#include <utility>

#include "descriptors.h"

namespace lockstep::program {

namespace {

using Nanoseconds = std::int64_t;

constexpr Nanoseconds kSecond = 1'000'000'000;

// Tells the guard that it is not needed any more.
constexpr TimePoint kDismissed = TimePoint::min();

// Exit statuses of the guard.
constexpr int kWasDismissed = 0;
constexpr int kHadToKill = 1;

// The clock of zookeeper::Runtime stands still while the machine sleeps, CLOCK_BOOTTIME does not.
TimePoint now_by(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return TimePoint(Duration(time.tv_sec * kSecond + time.tv_nsec));
}

Duration time_asleep() { return now_by(CLOCK_BOOTTIME) - now_by(CLOCK_MONOTONIC); }

// The guard's own functions run in the child of a process with threads: they only make calls that
// are safe in a signal handler. All deadlines there are by CLOCK_BOOTTIME.

int milliseconds_until(TimePoint deadline) {
  constexpr auto kLongest = std::chrono::hours(1);
  if (deadline == TimePoint::max()) return -1;
  const Duration left =
      std::clamp<Duration>(deadline - now_by(CLOCK_BOOTTIME), Duration(0), kLongest);
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
}

// The timeout of poll() stands still during a sleep, this timer ends with it.
void wake_at(int timer, TimePoint deadline) {
  const Nanoseconds time = deadline.time_since_epoch().count();
  const itimerspec once{{}, {time / kSecond, time % kSecond}};
  timerfd_settime(timer, TFD_TIMER_ABSTIME, &once, nullptr);
}

// Returns kWasDismissed or kHadToKill, before the kill.
int wait_for_deadline(int socket, int timer) {
  TimePoint deadline = TimePoint::max();
  for (;;) {
    std::array<pollfd, 2> waits{{{socket, POLLIN, 0}, {timer, POLLIN, 0}}};
    const int ready = poll(waits.data(), waits.size(), milliseconds_until(deadline));
    if (ready < 0) continue;
    if (waits[0].revents == 0) {
      if (now_by(CLOCK_BOOTTIME) >= deadline) return kHadToKill;
      continue;
    }
    TimePoint next;
    if (recv(socket, &next, sizeof(next), 0) != sizeof(next)) return kHadToKill;
    if (next == kDismissed) return kWasDismissed;
    deadline = next;
    wake_at(timer, deadline);
  }
}

[[noreturn]] void stand_guard(int parents_end, int socket, pid_t group) {
  setsid();  // Protects it from signals of the terminal and of the parent's group.
  prctl(PR_SET_NAME, "lock-guard");
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  close(parents_end);  // Otherwise the end of the parent would not end the wait.
  dup2(socket, STDIN_FILENO);
  close_descriptors(STDIN_FILENO + 1, std::numeric_limits<unsigned>::max());
  const int timer = timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK);
  const int status = wait_for_deadline(STDIN_FILENO, timer);
  if (status == kHadToKill) kill(-group, SIGKILL);
  _exit(status);
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
  if (process_ != -1) dismiss();
}

bool Guard::dismiss() {
  while (!tell(kDismissed)) go_on();
  close(socket_);
  int status = 0;
  while (waitpid(process_, &status, WUNTRACED) == process_ && WIFSTOPPED(status)) go_on();
  process_ = -1;
  return WIFEXITED(status) && WEXITSTATUS(status) == kHadToKill;
}

Guard::State Guard::look() const {
  siginfo_t seen{};
  waitid(P_PID, static_cast<id_t>(process_), &seen, WEXITED | WSTOPPED | WNOHANG | WNOWAIT);
  if (seen.si_pid != process_) return State::kStands;
  if (seen.si_code == CLD_STOPPED) {
    go_on();
    return State::kStands;
  }
  const bool has_killed = seen.si_code == CLD_EXITED && seen.si_status == kHadToKill;
  return has_killed ? State::kHasKilled : State::kGone;
}

// Tells only a new deadline: told again after a sleep, an old one would be later by that sleep.
void Guard::postpone_to(TimePoint deadline) {
  if (deadline == deadline_) return;
  if (tell(after(deadline, time_asleep()))) deadline_ = deadline;
}

// Returns false if a guard that was stopped has not read its messages yet: it keeps an earlier
// deadline. If the guard has ended, it has done its work, so that failure does not matter.
bool Guard::tell(TimePoint deadline) const {
  const ssize_t sent = send(socket_, &deadline, sizeof(deadline), MSG_NOSIGNAL | MSG_DONTWAIT);
  return sent == sizeof(deadline) || errno != EAGAIN;
}

void Guard::go_on() const { kill(process_, SIGCONT); }

}  // namespace lockstep::program
