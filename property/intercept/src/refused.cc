#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdarg>
#include <cstddef>

#include "calls.h"
#include "handled.h"
#include "real.h"

// Functions that an execution cannot simulate: they wait in real time, start processes, or
// interrupt threads. An intercepted thread that calls one is reported, with the function's name.

using lockstep::intercept::Execution;
using itimer_which_t = __itimer_which_t;

// Defines `result name parameters`. Code that is not under test calls the real function with
// `arguments`.
#define LOCKSTEP_REFUSED(result, name, parameters, arguments, why) \
  result name parameters {                                         \
    Execution* const execution = Execution::of_caller();           \
    if (!execution) return LOCKSTEP_REAL(name) arguments;          \
    const Execution::InRuntime inside;                             \
    execution->refuse(#name, why);                                 \
  }

namespace {
constexpr char kProcess[] = "hunted code cannot start or await processes";
constexpr char kSignal[] = "hunted code cannot send or await signals, or cancel threads";
constexpr char kNames[] = "this function cannot be intercepted; use getaddrinfo";
constexpr char kStack[] = "calls are intercepted on the stack of a thread only";
constexpr char kElsewhere[] = "locks and queues that processes share cannot be intercepted";
}  // namespace

extern "C" {

LOCKSTEP_REFUSED(pid_t, fork, () noexcept, (), kProcess)
// The real vfork() cannot be called from here: its child would return from this function, whose
// frame the parent still needs. POSIX allows vfork() to do what fork() does.
pid_t vfork() noexcept {
  if (Execution* const execution = Execution::of_caller()) {
    const Execution::InRuntime inside;
    execution->refuse("vfork", kProcess);
  }
  return LOCKSTEP_REAL(fork)();
}
LOCKSTEP_REFUSED(pid_t, _Fork, () noexcept, (), kProcess)
LOCKSTEP_REFUSED(int, daemon, (int keeps_folder, int keeps_files) noexcept,
                 (keeps_folder, keeps_files), kProcess)
LOCKSTEP_REFUSED(int, system, (const char* command), (command), kProcess)
LOCKSTEP_REFUSED(FILE*, popen, (const char* command, const char* mode), (command, mode), kProcess)
LOCKSTEP_REFUSED(int, execve,
                 (const char* path, char* const arguments[], char* const variables[]) noexcept,
                 (path, arguments, variables), kProcess)
LOCKSTEP_REFUSED(int, execv, (const char* path, char* const arguments[]) noexcept,
                 (path, arguments), kProcess)
LOCKSTEP_REFUSED(int, execvpe,
                 (const char* file, char* const arguments[], char* const variables[]) noexcept,
                 (file, arguments, variables), kProcess)
LOCKSTEP_REFUSED(int, fexecve,
                 (int file, char* const arguments[], char* const variables[]) noexcept,
                 (file, arguments, variables), kProcess)
LOCKSTEP_REFUSED(int, execvp, (const char* file, char* const arguments[]) noexcept,
                 (file, arguments), kProcess)
LOCKSTEP_REFUSED(int, posix_spawn,
                 (pid_t * process, const char* path, const posix_spawn_file_actions_t* actions,
                  const posix_spawnattr_t* attributes, char* const arguments[],
                  char* const variables[]),
                 (process, path, actions, attributes, arguments, variables), kProcess)
LOCKSTEP_REFUSED(int, posix_spawnp,
                 (pid_t * process, const char* file, const posix_spawn_file_actions_t* actions,
                  const posix_spawnattr_t* attributes, char* const arguments[],
                  char* const variables[]),
                 (process, file, actions, attributes, arguments, variables), kProcess)
LOCKSTEP_REFUSED(pid_t, wait, (int* status), (status), kProcess)
LOCKSTEP_REFUSED(pid_t, waitpid, (pid_t process, int* status, int options),
                 (process, status, options), kProcess)
LOCKSTEP_REFUSED(pid_t, wait3, (int* status, int options, rusage* use) noexcept,
                 (status, options, use), kProcess)
LOCKSTEP_REFUSED(pid_t, wait4, (pid_t process, int* status, int options, rusage* use) noexcept,
                 (process, status, options, use), kProcess)
LOCKSTEP_REFUSED(int, waitid, (idtype_t kind, id_t process, siginfo_t* info, int options),
                 (kind, process, info, options), kProcess)
LOCKSTEP_REFUSED(int, pthread_cancel, (pthread_t thread), (thread), kSignal)
LOCKSTEP_REFUSED(int, killpg, (pid_t group, int signal) noexcept, (group, signal), kSignal)
LOCKSTEP_REFUSED(int, sigqueue, (pid_t process, int signal, sigval value) noexcept,
                 (process, signal, value), kSignal)
LOCKSTEP_REFUSED(int, pthread_sigqueue, (pthread_t thread, int signal, sigval value) noexcept,
                 (thread, signal, value), kSignal)
LOCKSTEP_REFUSED(int, sigwait, (const sigset_t* signals, int* signal), (signals, signal), kSignal)
LOCKSTEP_REFUSED(int, sigsuspend, (const sigset_t* signals), (signals), kSignal)
LOCKSTEP_REFUSED(int, pause, (), (), kSignal)
LOCKSTEP_REFUSED(unsigned, alarm, (unsigned seconds) noexcept, (seconds), kSignal)
LOCKSTEP_REFUSED(useconds_t, ualarm, (useconds_t first, useconds_t interval) noexcept,
                 (first, interval), kSignal)
LOCKSTEP_REFUSED(int, setitimer,
                 (itimer_which_t which, const itimerval* time, itimerval* before) noexcept,
                 (which, time, before), kSignal)
LOCKSTEP_REFUSED(int, pselect,
                 (int count, fd_set* read, fd_set* write, fd_set* except, const timespec* time,
                  const sigset_t* signals),
                 (count, read, write, except, time, signals),
                 "this function cannot be intercepted; use select or poll")
LOCKSTEP_REFUSED(int, sigwaitinfo, (const sigset_t* signals, siginfo_t* info), (signals, info),
                 kSignal)
LOCKSTEP_REFUSED(int, sigtimedwait,
                 (const sigset_t* signals, siginfo_t* info, const timespec* time),
                 (signals, info, time), kSignal)
LOCKSTEP_REFUSED(int, timer_create, (clockid_t clock, sigevent* event, timer_t* timer) noexcept,
                 (clock, event, timer), kSignal)
LOCKSTEP_REFUSED(hostent*, gethostbyname, (const char* name), (name), kNames)
LOCKSTEP_REFUSED(hostent*, gethostbyname2, (const char* name, int family), (name, family), kNames)
LOCKSTEP_REFUSED(hostent*, gethostbyaddr, (const void* address, socklen_t length, int family),
                 (address, length, family), kNames)
LOCKSTEP_REFUSED(int, gethostbyname_r,
                 (const char* name, hostent* into, char* buffer, size_t size, hostent** result,
                  int* error),
                 (name, into, buffer, size, result, error), kNames)
LOCKSTEP_REFUSED(int, gethostbyname2_r,
                 (const char* name, int family, hostent* into, char* buffer, size_t size,
                  hostent** result, int* error),
                 (name, family, into, buffer, size, result, error), kNames)
LOCKSTEP_REFUSED(int, gethostbyaddr_r,
                 (const void* address, socklen_t length, int family, hostent* into, char* buffer,
                  size_t size, hostent** result, int* error),
                 (address, length, family, into, buffer, size, result, error), kNames)
LOCKSTEP_REFUSED(int, swapcontext, (ucontext_t * from, const ucontext_t* to) noexcept, (from, to),
                 kStack)
LOCKSTEP_REFUSED(int, lockf, (int file, int command, off_t length), (file, command, length),
                 kElsewhere)
LOCKSTEP_REFUSED(int, flock, (int file, int operation) noexcept, (file, operation), kElsewhere)
LOCKSTEP_REFUSED(int, semop, (int set, sembuf* operations, size_t count) noexcept,
                 (set, operations, count), kElsewhere)
LOCKSTEP_REFUSED(int, semtimedop,
                 (int set, sembuf* operations, size_t count, const timespec* time) noexcept,
                 (set, operations, count, time), kElsewhere)
LOCKSTEP_REFUSED(int, msgsnd, (int queue, const void* message, size_t size, int flags),
                 (queue, message, size, flags), kElsewhere)
LOCKSTEP_REFUSED(ssize_t, msgrcv, (int queue, void* message, size_t size, long type, int flags),
                 (queue, message, size, type, flags), kElsewhere)

// The next three have their arguments in a list that ends with a null pointer.
#define LOCKSTEP_ARGUMENTS(all, first)                                             \
  va_list list;                                                                    \
  va_start(list, first);                                                           \
  std::size_t count = 1;                                                           \
  for (const char* each = first; each; each = va_arg(list, const char*)) ++count;  \
  va_end(list);                                                                    \
  auto** const all = static_cast<char**>(__builtin_alloca(count * sizeof(char*))); \
  va_start(list, first);                                                           \
  all[0] = const_cast<char*>(first);                                               \
  for (std::size_t i = 1; i < count; ++i) all[i] = va_arg(list, char*)

int execl(const char* path, const char* first, ...) noexcept {
  LOCKSTEP_ARGUMENTS(arguments, first);
  va_end(list);
  Execution* const execution = Execution::of_caller();
  if (!execution) return LOCKSTEP_REAL(execv)(path, arguments);
  const Execution::InRuntime inside;
  execution->refuse("execl", kProcess);
}

int execlp(const char* file, const char* first, ...) noexcept {
  LOCKSTEP_ARGUMENTS(arguments, first);
  va_end(list);
  Execution* const execution = Execution::of_caller();
  if (!execution) return LOCKSTEP_REAL(execvp)(file, arguments);
  const Execution::InRuntime inside;
  execution->refuse("execlp", kProcess);
}

int execle(const char* path, const char* first, ...) noexcept {
  LOCKSTEP_ARGUMENTS(arguments, first);
  char** const variables = va_arg(list, char**);
  va_end(list);
  Execution* const execution = Execution::of_caller();
  if (!execution) return LOCKSTEP_REAL(execve)(path, arguments, variables);
  const Execution::InRuntime inside;
  execution->refuse("execle", kProcess);
}

}  // extern "C"

LOCKSTEP_LINKED(refused)
