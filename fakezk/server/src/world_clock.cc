#include "lockstep/fakezk/world_clock.h"

#include <algorithm>

namespace lockstep::fakezk {

template <class Visit>
void WorldClock::each_earliest(Visit visit) const {
  servers_.each([&](internal::TimerQueue& queue, TimerKind kind, std::uint32_t index) {
    if (!queue.empty()) visit(queue.earliest().due, NextTimer{&queue, kind, index});
  });
  for (const auto& process : processes_.all()) {
    if (process->stalled()) continue;
    const std::optional<TimePoint> due = process->clock().next_due();
    if (due)
      visit(*due, NextTimer{&process->clock().timers(), TimerKind::kProcess, process->index()});
  }
}

std::optional<TimePoint> WorldClock::find_next() {
  std::optional<TimePoint> first;
  next_.clear();
  each_earliest([&](TimePoint due, const NextTimer& timer) {
    if (first && due > *first) return;
    if (first && due < *first) next_.clear();
    first = due;
    next_.push_back(timer);
  });
  return first;
}

std::optional<TimePoint> WorldClock::earliest() const {
  std::optional<TimePoint> first;
  each_earliest([&](TimePoint due, const NextTimer&) {
    if (!first || due < *first) first = due;
  });
  return first;
}

bool WorldClock::a_timer_runs() const {
  return !servers_.empty() || std::ranges::any_of(processes_.all(), [](const auto& process) {
    return !process->stalled() && !process->clock().timers().empty();
  });
}

bool WorldClock::is_waited_for() const {
  bool waits = false;
  servers_.each([&](const internal::TimerQueue& queue, TimerKind, std::uint32_t) {
    waits |= !queue.only_background();
  });
  return waits || std::ranges::any_of(processes_.all(), [](const auto& process) {
           return !process->stalled() && !process->clock().timers().only_background();
         });
}

std::uint64_t WorldClock::server_hash() const {
  std::uint64_t hash = 0;
  servers_.each([&](const internal::TimerQueue& queue, TimerKind, std::uint32_t) {
    hash = hash_with(hash, queue);
  });
  return hash;
}

}  // namespace lockstep::fakezk
