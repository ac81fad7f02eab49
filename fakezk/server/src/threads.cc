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
    : process_(process), index_(process.world().threads().free_index(process.index())) {
  process.world().threads().all_.push_back(this);
}

Thread::~Thread() {
  Threads& threads = process_.world().threads();
  record_ready(process_);
  std::erase(threads.all_, this);
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

std::uint32_t Threads::free_index(std::uint32_t process) const {
  internal::check(process < kMostProcesses, "a process with threads is one of the first 256");
  std::uint32_t index = process;
  while (std::ranges::find(all_, index, &Thread::index) != all_.end()) index += kMostProcesses;
  return index;
}

}  // namespace lockstep::fakezk
