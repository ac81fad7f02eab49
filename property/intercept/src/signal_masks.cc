#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "calls.h"
#include "handled.h"
#include "real.h"
#include "signals.h"

// The signals that a thread blocks. The real thread blocks none of them: all threads share it, and
// it would keep them for the next execution, and miss the hunt's own signals.

namespace lockstep::intercept {

namespace {

// Returns 0 or the error.
int change(Execution& execution, int how, const sigset_t* signals, sigset_t* before) {
  sigset_t& blocked = execution.signals().blocked(*execution.running());
  const sigset_t present = blocked;
  if (signals) {
    sigset_t next = *signals;
    if (how == SIG_BLOCK) {
      ::sigorset(&next, &present, signals);
    } else if (how == SIG_UNBLOCK) {
      next = present;
      for (int signal = 1; signal < NSIG; ++signal) {
        if (::sigismember(signals, signal) == 1) ::sigdelset(&next, signal);
      }
    } else if (how != SIG_SETMASK) {
      return EINVAL;
    }
    ::sigdelset(&next, SIGKILL);
    ::sigdelset(&next, SIGSTOP);
    blocked = next;
  }
  if (before) *before = present;
  return 0;
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int pthread_sigmask(int how, const sigset_t* signals, sigset_t* before) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pthread_sigmask)(how, signals, before));
  return change(*execution, how, signals, before);
}

int sigprocmask(int how, const sigset_t* signals, sigset_t* before) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(sigprocmask)(how, signals, before));
  const int error = change(*execution, how, signals, before);
  return error == 0 ? 0 : (errno = error, -1);
}

}  // extern "C"

LOCKSTEP_LINKED(signal_masks)
