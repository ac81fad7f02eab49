#include "lockstep/fakezk/threads.h"

#include <algorithm>

#include "lockstep/fakezk/world.h"

namespace lockstep::fakezk {

namespace {

// Which threads may go on decides whether a timer may fire early, and what happens before the clock
// moves on.
void record_ready(Process& process) {
  if (FootprintRecorder* const recorder = process.world().recorder())
    recorder->reads(ObjectKind::kClock);
}

}  // namespace

Thread::Thread(Process& process)
    : process_(process), index_(process.world().threads().take_index(process.index())) {}

Thread::~Thread() {
  Threads& threads = process_.world().threads();
  record_ready(process_);
  threads.give_back(index_);
  std::erase(threads.ready_, this);
}

void Thread::make_ready() {
  record_ready(process_);
  process_.world().threads().ready_.push_back(this);
}

void Thread::preempt() {
  record_ready(process_);
  Threads& threads = process_.world().threads();
  threads.ready_.insert(threads.fair_ ? threads.ready_.end() : threads.ready_.begin(), this);
}

const Thread* Threads::next() const {
  const auto next = std::ranges::find_if(
      ready_, [](const Thread* thread) { return !thread->process().stalled(); });
  return next == ready_.end() ? nullptr : *next;
}

void Threads::go_on(std::uint32_t index) {
  const auto thread = std::ranges::find(ready_, index, &Thread::index);
  Thread& goes = **thread;
  record_ready(goes.process_);
  ready_.erase(thread);
  goes.go_on();
}

void Threads::move_ahead(std::size_t first) {
  std::ranges::rotate(ready_, ready_.begin() + static_cast<std::ptrdiff_t>(first));
}

std::uint32_t Threads::take_index(std::uint32_t process) {
  internal::check(process < kMostProcesses, "a process with threads is one of the first 256");
  if (numbers_.size() <= process) numbers_.resize(process + 1);
  Numbers& own = numbers_[process];
  std::uint32_t number = own.least_free;
  while (number < own.taken.size() && own.taken[number]) ++number;
  if (number == own.taken.size()) own.taken.push_back(false);
  own.taken[number] = true;
  own.least_free = number + 1;
  return process + number * kMostProcesses;
}

void Threads::give_back(std::uint32_t index) {
  Numbers& own = numbers_[process_of(index)];
  const std::uint32_t number = number_of(index);
  own.taken[number] = false;
  own.least_free = std::min(own.least_free, number);
}

}  // namespace lockstep::fakezk
