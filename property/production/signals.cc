#include "signals.h"

#include <pthread.h>

#include <array>
#include <utility>

namespace lockstep::program {

namespace {

// Those that another process may send, except SIGABRT and others that report an error of this one.
// Real-time signals are heard, too.
constexpr std::array kHeard = {SIGHUP,    SIGINT,  SIGQUIT, SIGTERM,  SIGUSR1,
                               SIGUSR2,   SIGTSTP, SIGCONT, SIGWINCH, SIGALRM,
                               SIGVTALRM, SIGPROF, SIGIO,   SIGPWR,   SIGSTKFLT};

// Lets SIGTSTP have its usual effect. The kernel prefers the main thread to the one that waits for
// signals.
class LetStop {
 public:
  LetStop() {
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    pthread_sigmask(SIG_UNBLOCK, &stop, &before_);
  }
  LetStop(const LetStop&) = delete;
  LetStop& operator=(const LetStop&) = delete;
  ~LetStop() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

bool is_ignored(int signal) {
  struct sigaction action{};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

Signals::Signals() {
  // While SIGCHLD is ignored, the kernel keeps no exit status of a child.
  std::signal(SIGCHLD, SIG_DFL);
  sigemptyset(&waited_for_);
  sigaddset(&waited_for_, SIGCHLD);
  for (const int signal : kHeard) listen_for(signal);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) listen_for(signal);
  sigset_t blocked = waited_for_;
  sigaddset(&blocked, SIGTTOU);  // Lets a process in the background set the foreground.
  sigaddset(&blocked, SIGPIPE);  // A reader of the reports that ends must not end the command.
  pthread_sigmask(SIG_BLOCK, &blocked, &before_);
}

Signals::~Signals() { let_go(); }

void Signals::listen_for(int signal) {
  if (!is_ignored(signal)) sigaddset(&waited_for_, signal);
}

void Signals::listen(Executor& executor, std::function<void(int)> hear) {
  executor_ = &executor;
  hear_ = std::move(hear);
  thread_ = std::thread([this] { wait_for_signals(); });
}

void Signals::stop_process() const {
  const LetStop let_stop;
  pthread_kill(pthread_self(), SIGTSTP);
}

void Signals::stop_group() const {
  const LetStop let_stop;
  kill(0, SIGTSTP);
}

void Signals::let_go() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  pthread_kill(thread_.native_handle(), SIGCHLD);  // Wakes the thread.
  thread_.join();
  executor_->withdraw(*this);
  for (const int signal : arrived_) {
    if (signal != SIGCHLD) std::raise(signal);
  }
  sigset_t afterwards = before_;
  sigaddset(&afterwards, SIGPIPE);  // One may be pending, and would end this process now.
  pthread_sigmask(SIG_SETMASK, &afterwards, nullptr);
}

void Signals::wait_for_signals() {
  for (;;) {
    int signal = 0;
    if (sigwait(&waited_for_, &signal) != 0) continue;
    const std::lock_guard lock(mutex_);
    // The signal may have come just before the one that wakes this thread.
    arrived_.push_back(signal);
    if (ending_) return;
    if (!std::exchange(posted_, true)) executor_->post(*this);
  }
}

void Signals::run() {
  std::deque<int> heard;
  {
    const std::lock_guard lock(mutex_);
    heard.swap(arrived_);
    posted_ = false;
  }
  for (const int signal : heard) hear_(signal);
}

}  // namespace lockstep::program
