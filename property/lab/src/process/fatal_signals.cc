#include "process/fatal_signals.h"

#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "lockstep/stacks/own_stack.h"
#include "process/under_way.h"

namespace lockstep::lab {

namespace {

struct Fatal {
  int signal;
  std::string_view what;  // completes "It has ..."
};

constexpr std::array kFatal = {
    Fatal{SIGABRT, "aborted"},
    Fatal{SIGSEGV, "accessed invalid memory (SIGSEGV)"},
    Fatal{SIGBUS, "accessed invalid memory (SIGBUS)"},
    Fatal{SIGFPE, "divided by zero, or the like (SIGFPE)"},
    Fatal{SIGILL, "run into a trap or an illegal instruction (SIGILL)"},
    Fatal{SIGTRAP, "run into a trap (SIGTRAP)"},
};
constexpr std::string_view kOverflow =
    "probably overflowed a stack, of which a fiber's has 256 KiB (SIGSEGV),";
static_assert(stacks::kStackBytes == std::size_t{256} * 1024);

std::mutex mutex;
int catchers = 0;  // Live FatalSignals objects.
std::array<struct sigaction, kFatal.size()> previous;

// A thread that runs no execution forwards its signal, with this value, to the thread that runs
// one, which then prints its last words.
constinit int request = 0;
constinit std::atomic<bool> answered = false;

std::size_t index_of(int signal) {
  return static_cast<std::size_t>(std::ranges::find(kFatal, signal, &Fatal::signal) -
                                  kFatal.begin());
}

// Whether the fault address is near the stack pointer: if the stack still had room there, the
// access would not fault.
bool is_overflow(const siginfo_t& info, const void* context) {
  std::uintptr_t top = 0;
  [[maybe_unused]] const auto* const stopped = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  top = static_cast<std::uintptr_t>(stopped->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  top = static_cast<std::uintptr_t>(stopped->uc_mcontext.sp);
#else
  return false;
#endif
  constexpr std::uintptr_t kBelow = 4096;
  constexpr std::uintptr_t kLargestFrame = 65536;
  const auto fault = reinterpret_cast<std::uintptr_t>(info.si_addr);
  return info.si_signo == SIGSEGV && info.si_code > 0 && fault + kBelow >= top &&
         fault < top + kLargestFrame;
}

bool is_request(const siginfo_t& info) {
  return info.si_code == SI_QUEUE && info.si_pid == ::getpid() &&
         info.si_value.sival_ptr == &request;
}

// Code under test may start threads, although a hunt does not schedule them. Only the thread that
// runs the execution can report it: the execution changes while another thread reads it.
void forward_to_execution_thread(int signal) {
  const int who = last_to_begin();
  if (who == 0 || who == ::gettid()) return;
  siginfo_t info{};
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_pid = ::getpid();
  info.si_uid = ::getuid();
  info.si_value.sival_ptr = &request;
  answered = false;
  if (::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), who, signal, &info) != 0) return;
  constexpr timespec kMoment{.tv_sec = 0, .tv_nsec = 1'000'000};
  for (int moments = 0; moments < 1000 && !answered; ++moments) ::nanosleep(&kMoment, nullptr);
}

// A fault happens again as soon as this handler has returned, and a sanitizer then sees it
// unchanged. Signals that were sent are raised again; so is a trap, because the program would
// continue after it.
void pass_on(int signal, const siginfo_t& info) {
  ::sigaction(signal, &previous[index_of(signal)], nullptr);
  const bool is_fault = info.si_code > 0 && signal != SIGTRAP;
  if (!is_fault) std::raise(signal);
}

void handle(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  const std::string_view what =
      is_overflow(*info, context) ? kOverflow : kFatal[index_of(signal)].what;
  if (is_request(*info)) {
    say_last_words("another thread", what);
    answered = true;
  } else {
    if (!say_last_words("the program under test", what)) forward_to_execution_thread(signal);
    pass_on(signal, *info);
  }
  errno = error;
}

}  // namespace

FatalSignals::FatalSignals() {
  const std::lock_guard lock(mutex);
  if (catchers++ > 0) return;
  struct sigaction own{};
  own.sa_sigaction = &handle;
  own.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  for (std::size_t i = 0; i < kFatal.size(); ++i) {
    ::sigaction(kFatal[i].signal, &own, &previous[i]);
  }
}

// Keep a handler that was installed meanwhile.
FatalSignals::~FatalSignals() {
  const std::lock_guard lock(mutex);
  if (--catchers > 0) return;
  for (std::size_t i = 0; i < kFatal.size(); ++i) {
    struct sigaction now{};
    ::sigaction(kFatal[i].signal, nullptr, &now);
    if (now.sa_sigaction == &handle) ::sigaction(kFatal[i].signal, &previous[i], nullptr);
  }
}

}  // namespace lockstep::lab
