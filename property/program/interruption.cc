#include "interruption.h"

#include <array>
#include <atomic>
#include <csignal>

namespace lockstep::program {

namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM};
constexpr int kStatusOfSignals = 128;

// Lock-free for the signal handler; atomic, because a handler runs on any thread.
constinit std::atomic<int> noted = 0;
static_assert(std::atomic<int>::is_always_lock_free);

void note(int signal) {
  for (const int any : kSignals) std::signal(any, SIG_DFL);
  // Two signals that arrive together both reach this handler.
  if (noted.exchange(signal) != 0) std::raise(signal);
}

}  // namespace

Interruption::Interruption() {
  for (const int signal : kSignals) {
    if (std::signal(signal, &note) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

Interruption::~Interruption() {
  for (const int signal : kSignals) {
    const auto was = std::signal(signal, SIG_DFL);
    if (was == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

int interrupted_by() { return noted; }

int status_of_interruption() { return kStatusOfSignals + noted; }

}  // namespace lockstep::program
