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

#define LOCKSTEP_REFUSE(function, why, ...)                      \
  {                                                              \
    Execution* const execution = Execution::of_caller();         \
    if (!execution) return LOCKSTEP_REAL(function)(__VA_ARGS__); \
    const Execution::Inside inside;                              \
    execution->refuse(#function, why);                           \
  }

namespace {
constexpr char kProcess[] = "hunted code cannot start or await processes";
constexpr char kSignal[] = "hunted code cannot send or await signals";
constexpr char kNotYet[] = "this function cannot be intercepted; poll and select can";
}  // namespace

extern "C" {

pid_t fork() noexcept LOCKSTEP_REFUSE(fork, kProcess) int system(const char* command)
    LOCKSTEP_REFUSE(system, kProcess, command) FILE* popen(const char* command, const char* mode)
        LOCKSTEP_REFUSE(popen, kProcess, command, mode) pid_t wait(int* status)
            LOCKSTEP_REFUSE(wait, kProcess, status) pid_t
    waitpid(pid_t process, int* status, int options)
        LOCKSTEP_REFUSE(waitpid, kProcess, process, status,
                        options) int pthread_cancel(pthread_t thread)
            LOCKSTEP_REFUSE(pthread_cancel, kSignal, thread) int pthread_kill(pthread_t thread,
                                                                              int signal) noexcept
    LOCKSTEP_REFUSE(pthread_kill, kSignal, thread, signal) int sigwait(const sigset_t* signals,
                                                                       int* signal)
        LOCKSTEP_REFUSE(sigwait, kSignal, signals, signal) int sigsuspend(const sigset_t* signals)
            LOCKSTEP_REFUSE(sigsuspend, kSignal, signals) int pause()
                LOCKSTEP_REFUSE(pause, kSignal) unsigned alarm(unsigned seconds) noexcept
    LOCKSTEP_REFUSE(alarm, kSignal, seconds) int bind(int file, const sockaddr* address,
                                                      socklen_t size) noexcept
    LOCKSTEP_REFUSE(bind, kServer, file, address, size) int listen(int file, int backlog) noexcept
    LOCKSTEP_REFUSE(listen, kServer, file, backlog) int accept(int file, sockaddr* address,
                                                               socklen_t* size)
        LOCKSTEP_REFUSE(accept, kServer, file, address,
                        size) int accept4(int file, sockaddr* address, socklen_t* size, int flags)
            LOCKSTEP_REFUSE(accept4, kServer, file, address, size,
                            flags) int epoll_create(int size) noexcept
    LOCKSTEP_REFUSE(epoll_create, kNotYet, size) int epoll_create1(int flags) noexcept
    LOCKSTEP_REFUSE(epoll_create1, kNotYet, flags) int timerfd_create(int clock, int flags) noexcept
    LOCKSTEP_REFUSE(timerfd_create, kNotYet, clock,
                    flags) int pselect(int count, fd_set* read, fd_set* write, fd_set* except,
                                       const timespec* time, const sigset_t* signals)
        LOCKSTEP_REFUSE(pselect, kNotYet, count, read, write, except, time, signals) ssize_t
    sendmsg(int file, const msghdr* message, int flags)
        LOCKSTEP_REFUSE(sendmsg, kNotYet, file, message, flags) ssize_t
    recvmsg(int file, msghdr* message, int flags)
        LOCKSTEP_REFUSE(recvmsg, kNotYet, file, message, flags) int dup2(int file, int as) noexcept
    LOCKSTEP_REFUSE(dup2, kNotYet, file, as)

}  // extern "C"
