#include "chaos/contender/control.h"

#include <malloc.h>
#include <poll.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <iterator>
#include <utility>

#include "support/heap.h"

namespace lockstep::chaos {

namespace {

constexpr int kBetweenLooksMs = 10;

Event resting(const Reporter& reporter) {
  Event event{.kind = Kind::kPaused, .token = reporter.under_way()};
  malloc_trim(0);
  event.detail = static_cast<std::int64_t>(support::heap_bytes());
  const std::filesystem::directory_iterator open("/proc/self/fd");
  event.created = std::distance(begin(open), end(open));
  return event;
}

}  // namespace

bool Control::begin(int worker) {
  const std::lock_guard lock(mutex_);
  if (pausing_ || quitting_) return false;
  busy_[worker] = "begins";
  return true;
}

void Control::end(int worker) {
  const std::lock_guard lock(mutex_);
  busy_.erase(worker);
}

void Control::doing(int worker, const char* what) {
  const std::lock_guard lock(mutex_);
  busy_[worker] = what;
}

void Control::tell(Reporter& reporter) {
  const std::lock_guard lock(mutex_);
  for (const auto& [worker, what] : busy_) {
    Event event{.kind = Kind::kDoes, .worker = worker, .lock = what};
    reporter.report(std::move(event));
  }
}

bool Control::quitting() {
  const std::lock_guard lock(mutex_);
  return quitting_;
}

bool Control::pausing() {
  const std::lock_guard lock(mutex_);
  return pausing_ || quitting_;
}

void Control::take(Command command) {
  const std::lock_guard lock(mutex_);
  pausing_ = command != Command::kResume;
  quitting_ = quitting_ || command == Command::kQuit;
  told_ = command == Command::kResume;
}

bool Control::has_come_to_rest() {
  const std::lock_guard lock(mutex_);
  if (told_ || !busy_.empty()) return false;
  told_ = true;
  return true;
}

void Control::obey(Reporter& reporter) {
  for (;;) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (poll(&input, 1, kBetweenLooksMs) == 1) {
      char command = 0;
      if (::read(STDIN_FILENO, &command, 1) != 1) _exit(0);
      if (static_cast<Command>(command) == Command::kTell) {
        tell(reporter);
      } else {
        take(static_cast<Command>(command));
      }
    }
    if (has_come_to_rest()) {
      reporter.report(resting(reporter));
      if (quitting()) return;
    }
  }
}

}  // namespace lockstep::chaos
