#include "signals.h"

#include <errno.h>
#include <pthread.h>
#include <ucontext.h>

#include <algorithm>
#include <array>

#include "calls.h"
#include "handled.h"
#include "process_ids.h"
#include "real.h"

// Signals that a thread sends to itself or to its process: the thread gets them at once, as from
// raise(). The IDs of processes and threads are simulated, so no other call may reach the system,
// where they belong to other processes. Handlers do not reach it either: Lockstep has its own.

namespace lockstep::intercept {

namespace {

constinit Real<decltype(::raise)> real_raise("raise");

}  // namespace

// A handler of a crash calls raise(), and must not look for the real one.
Signals::Signals() { static_cast<void>(real_raise.get()); }

Signals::Key Signals::key(const Thread& root, int signal) { return {root.number(), signal}; }

struct sigaction Signals::action(const Thread& root, int signal) const {
  struct sigaction action{};
  if (const auto set = actions_.find(key(root, signal)); set != actions_.end())
    action = set->second;
  return action;
}

void Signals::begin(const Thread& thread) {
  sigset_t own;
  ::sigemptyset(&own);
  const Thread* const creator = thread.creator();
  blocked_.push_back(creator ? blocked_[creator->number()] : own);
}

void Signals::set(const Thread& root, int signal, const struct sigaction& action) {
  actions_[key(root, signal)] = action;
}

namespace {

constexpr char kToOthers[] =
    "hunted code cannot send signals to other processes, process groups or threads";
constexpr char kStops[] = "hunted code cannot stop its process";
constexpr char kEnds[] = "hunted code cannot end its process by a signal that has no handler";
constexpr char kBlocked[] = "hunted code cannot send a signal that it blocks";

template <std::size_t kCount>
bool is_one_of(const std::array<int, kCount>& signals, int signal) {
  return std::ranges::find(signals, signal) != signals.end();
}

bool is_crash(int signal) {
  return is_one_of(std::array{SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}, signal);
}

// The real process must neither stop nor end: the hunt runs in it. A crash is one of the hunt's
// findings.
void take_default_action(Execution& execution, std::string_view call, int signal) {
  constexpr std::array kStop = {SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};
  constexpr int kEndedBySignal = 128;  // As shells report it.
  if (is_one_of(kStop, signal)) execution.refuse(call, kStops);
  execution.end_process(call, kEndedBySignal + signal);
  execution.refuse(call, kEnds);
}

void run_handler(const struct sigaction& action, int signal, pid_t sender) {
  siginfo_t info{};
  info.si_signo = signal;
  info.si_code = SI_USER;
  info.si_pid = sender;
  ucontext_t context{};
  const Execution::InCode outside;
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(signal, &info, &context);
  } else {
    action.sa_handler(signal);
  }
}

}  // namespace

void deliver(Execution& execution, std::string_view call, int signal) {
  constexpr std::array kIgnoredByDefault = {SIGCHLD, SIGCONT, SIGURG, SIGWINCH};
  Thread& root = execution.running()->root();
  const struct sigaction action = execution.signals().action(root, signal);
  const bool is_default = action.sa_handler == SIG_DFL;
  if (action.sa_handler == SIG_IGN) return;
  if (is_default && is_one_of(kIgnoredByDefault, signal)) return;
  const sigset_t& blocked = execution.signals().blocked(*execution.running());
  if (::sigismember(&blocked, signal) == 1) execution.refuse(call, kBlocked);
  if (is_default) take_default_action(execution, call, signal);
  if ((action.sa_flags & SA_RESETHAND) != 0) execution.signals().set(root, signal, {});
  run_handler(action, signal, process_id(root));
}

namespace {

// Whether there is such a signal. Returns false with errno EINVAL if not.
bool is_signal(int signal) { return LOCKSTEP_REAL(sigaction)(signal, nullptr, nullptr) == 0; }

// Returns 0, or -1 and errno.
int send_to_itself(Execution& execution, std::string_view call, int signal) {
  execution.point(call);
  if (signal == 0) return 0;
  if (!is_signal(signal)) return -1;
  if (!is_crash(signal)) return deliver(execution, call, signal), 0;
  const Execution::InCode outside;
  return real_raise.get()(signal);
}

// Returns the handler before, as signal() does.
sighandler_t set_handler(Execution& execution, int signal, sighandler_t handler, int flags) {
  if (!is_signal(signal)) return SIG_ERR;
  if (signal == SIGKILL || signal == SIGSTOP) return errno = EINVAL, SIG_ERR;
  const Thread& root = execution.running()->root();
  const struct sigaction before = execution.signals().action(root, signal);
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  execution.signals().set(root, signal, action);
  return before.sa_handler;
}

pthread_t handle_of(const Thread& thread) { return reinterpret_cast<pthread_t>(&thread); }

template <class Predicate>
bool any_thread(const Execution& execution, Predicate is_meant) {
  return std::ranges::any_of(execution.threads(),
                             [&](const auto& thread) { return is_meant(*thread); });
}

// Whether such a process or thread exists, which is all that signal 0 asks. Returns -1 and errno
// ESRCH if not.
template <class Predicate>
int exists(const Execution& execution, Predicate is_meant) {
  const bool found =
      any_thread(execution, [&](Thread& thread) { return !thread.ended() && is_meant(thread); });
  return found ? 0 : (errno = ESRCH, -1);
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

// The next three run handlers, from which pthread_exit() may unwind the stack. libc declares them
// as functions that do not throw.
extern "C" {
int raise_here(int signal) __asm__("raise");
int kill_here(pid_t process, int signal) __asm__("kill");
int pthread_kill_here(pthread_t handle, int signal) __asm__("pthread_kill");
}

extern "C" {

int sigaction(int signal, const struct sigaction* action, struct sigaction* before) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(sigaction)(signal, action, before));
  if (is_crash(signal)) return LOCKSTEP_REAL(sigaction)(signal, action, before);
  if (!is_signal(signal)) return -1;
  if (action && (signal == SIGKILL || signal == SIGSTOP)) return errno = EINVAL, -1;
  const Thread& root = execution->running()->root();
  const struct sigaction present = execution->signals().action(root, signal);
  if (action) execution->signals().set(root, signal, *action);
  if (before) *before = present;
  return 0;
}

sighandler_t signal(int number, sighandler_t handler) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(signal)(number, handler));
  if (is_crash(number)) return LOCKSTEP_REAL(signal)(number, handler);
  return set_handler(*execution, number, handler, SA_RESTART);
}

// Code that is compiled for POSIX alone calls this one as signal().
sighandler_t __sysv_signal(int signal, sighandler_t handler) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(__sysv_signal)(signal, handler));
  if (is_crash(signal)) return LOCKSTEP_REAL(__sysv_signal)(signal, handler);
  return set_handler(*execution, signal, handler, SA_RESETHAND | SA_NODEFER);
}

int raise_here(int signal) {
  LOCKSTEP_INTERCEPT(execution, real_raise.get()(signal));
  return send_to_itself(*execution, "raise", signal);
}

int kill_here(pid_t process, int signal) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(kill)(process, signal));
  if (process == process_id(*execution->running())) {
    return send_to_itself(*execution, "kill", signal);
  }
  if (signal != 0 || process <= 0) execution->refuse("kill", kToOthers);
  return exists(*execution, [&](Thread& thread) { return process_id(thread) == process; });
}

int tgkill(pid_t process, pid_t thread, int signal) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(tgkill)(process, thread, signal));
  Thread& self = *execution->running();
  if (process == process_id(self) && thread == thread_id(self)) {
    return send_to_itself(*execution, "tgkill", signal);
  }
  if (signal != 0) execution->refuse("tgkill", kToOthers);
  return exists(*execution, [&](Thread& other) {
    return process_id(other) == process && thread_id(other) == thread;
  });
}

// A thread that has ended exists until it is joined.
int pthread_kill_here(pthread_t handle, int signal) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_kill)(handle, signal));
  if (handle == handle_of(*execution->running())) {
    return send_to_itself(*execution, "pthread_kill", signal) == 0 ? 0 : errno;
  }
  if (signal != 0) execution->refuse("pthread_kill", kToOthers);
  const bool is_known =
      any_thread(*execution, [&](const Thread& thread) { return handle_of(thread) == handle; });
  return is_known ? 0 : ESRCH;
}

}  // extern "C"

LOCKSTEP_LINKED(signals)
