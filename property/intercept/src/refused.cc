#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"
#include "real.h"

// Functions that wait in real time, start processes or end threads from outside, and that have no
// counterpart in an execution: a thread that calls one is reported by the function's name.

using lockstep::intercept::Execution;

// Defines `result name parameters`, and calls the real one with `arguments`.
#define LOCKSTEP_REFUSED(result, name, parameters, arguments, why) \
  result name parameters {                                         \
    Execution* const execution = Execution::of_caller();           \
    if (!execution) return LOCKSTEP_REAL(name) arguments;          \
    const Execution::Inside inside;                                \
    execution->refuse(#name, why);                                 \
  }

namespace {
constexpr char kProcess[] = "hunted code cannot start or await processes";
constexpr char kSignal[] = "hunted code cannot send or await signals";
constexpr char kNotYet[] = "this function cannot be intercepted; poll and select can";
}  // namespace

extern "C" {

LOCKSTEP_REFUSED(pid_t, fork, () noexcept, (), kProcess)
LOCKSTEP_REFUSED(int, system, (const char* command), (command), kProcess)
LOCKSTEP_REFUSED(FILE*, popen, (const char* command, const char* mode), (command, mode), kProcess)
LOCKSTEP_REFUSED(pid_t, wait, (int* status), (status), kProcess)
LOCKSTEP_REFUSED(pid_t, waitpid, (pid_t process, int* status, int options),
                 (process, status, options), kProcess)
LOCKSTEP_REFUSED(int, pthread_cancel, (pthread_t thread), (thread), kSignal)
LOCKSTEP_REFUSED(int, pthread_kill, (pthread_t thread, int signal) noexcept, (thread, signal),
                 kSignal)
LOCKSTEP_REFUSED(int, sigwait, (const sigset_t* signals, int* signal), (signals, signal), kSignal)
LOCKSTEP_REFUSED(int, sigsuspend, (const sigset_t* signals), (signals), kSignal)
LOCKSTEP_REFUSED(int, pause, (), (), kSignal)
LOCKSTEP_REFUSED(unsigned, alarm, (unsigned seconds) noexcept, (seconds), kSignal)
LOCKSTEP_REFUSED(int, epoll_create, (int size) noexcept, (size), kNotYet)
LOCKSTEP_REFUSED(int, epoll_create1, (int flags) noexcept, (flags), kNotYet)
LOCKSTEP_REFUSED(int, timerfd_create, (int clock, int flags) noexcept, (clock, flags), kNotYet)
LOCKSTEP_REFUSED(int, pselect,
                 (int count, fd_set* read, fd_set* write, fd_set* except, const timespec* time,
                  const sigset_t* signals),
                 (count, read, write, except, time, signals), kNotYet)
LOCKSTEP_REFUSED(ssize_t, sendmsg, (int file, const msghdr* message, int flags),
                 (file, message, flags), kNotYet)
LOCKSTEP_REFUSED(ssize_t, recvmsg, (int file, msghdr* message, int flags), (file, message, flags),
                 kNotYet)
LOCKSTEP_REFUSED(int, dup2, (int file, int as) noexcept, (file, as), kNotYet)

}  // extern "C"
