#include "process/child.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "process/alternate_stack.h"
#include "process/under_way.h"

namespace lockstep::lab {

namespace {

// The code under test may print in each of thousands of executions. Without a descriptor for
// /dev/null the output stays: closed descriptors would be those of the next two files.
void be_silent() {
  const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nothing < 0) return;
  ::dup2(nothing, STDOUT_FILENO);
  ::dup2(nothing, STDERR_FILENO);
}

// The only alarm of an execution has gone off, so this process must not live on.
void tell_of_slowness(int) {
  say_last_words("the program under test",
                 "not come to the end of an execution for many seconds of real time: it spins, or "
                 "waits in a call that is not intercepted");
  ::_exit(1);
}

// On a stack of its own: on that of a hunted thread, the handler's calls would be intercepted.
void handle_slowness() {
  use_alternate_stack();
  struct sigaction action{};
  action.sa_handler = &tell_of_slowness;
  action.sa_flags = SA_ONSTACK;
  ::sigaction(SIGALRM, &action, nullptr);
}

}  // namespace

void begin_child(int file, IfSlow if_slow) {
  be_silent();
  report_ends_to(file);
  if (if_slow == IfSlow::kCrash) handle_slowness();
}

void throw_no_child(int error) {
  throw std::system_error(error, std::generic_category(),
                          "lockstep: an execution cannot run in a process of its own; this says "
                          "nothing about the code under test, and the machine needs more processes,"
                          " files or memory (ulimit -u, ulimit -n)");
}

std::optional<ReportedTrial> in_child(unsigned most_seconds, IfSlow if_slow,
                                      const std::function<void(int)>& work) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw_no_child(errno);
  const ::pid_t child = ::fork();
  const int error = errno;
  if (child == 0) {
    ::close(ends[0]);
    begin_child(ends[1], if_slow);
    ::alarm(most_seconds);
    work(ends[1]);
    ::_exit(0);
  }
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    throw_no_child(error);
  }
  std::optional<ReportedTrial> told = read_trial(ends[0]);
  ::close(ends[0]);
  // The child has nothing more to say, but the code under test may keep it from its end.
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  return told;
}

}  // namespace lockstep::lab
