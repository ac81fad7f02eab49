// Events of whole processes, and their clocks.
#include <algorithm>
#include <utility>

#include "lockstep/fakezk/world.h"

namespace lockstep::fakezk {

void Process::reset() {
  timers_.clear();
  stalled_ = false;
  pace_ = Pace::kExact;
}

void Process::drift(Pace pace) {
  drifted_from_ = now();
  drifts_since_ = world_.now_;
  pace_ = pace;
}

TimePoint Process::drifting_now() const {
  const Duration gone = world_.now_ - drifts_since_;
  return drifted_from_ + gone + static_cast<int>(pace_) * (gone / kDriftParts);
}

TimePoint Process::in_world_time(TimePoint due) const {
  const Duration shown = due - drifted_from_;
  if (pace_ == Pace::kExact) return due;
  if (shown <= Duration::zero()) return drifts_since_;
  Duration gone =
      shown - static_cast<int>(pace_) * (shown / (kDriftParts + static_cast<int>(pace_)));
  // Whole ticks of the clock: a timer never fires early.
  while (gone + static_cast<int>(pace_) * (gone / kDriftParts) < shown) ++gone;
  return drifts_since_ + gone;
}

// From now on the process acts at other times, which also changes the timers that the clock passes
// when it moves.
void World::record_pace(const Process& process) {
  if (!recorder_) return;
  recorder_->writes(ObjectKind::kProcess, process.index());
  recorder_->reads(ObjectKind::kClock);
}

template <class Act>
void World::each_link_of(const Process& process, Act act) {
  for (LinkIndex link = 0; link < network_.size(); ++link) {
    if (process_of_link_[link] == process.index()) act(link);
  }
}

namespace {

std::uint64_t add(std::uint64_t hash, TimePoint time) {
  return mix(hash ^ static_cast<std::uint64_t>(time.time_since_epoch().count()));
}

std::uint64_t add(std::uint64_t hash, const internal::TimerQueue& timers) {
  hash = mix(hash ^ timers.size());
  for (const TimePoint due : timers.due()) hash = add(hash, due);
  return hash;
}

}  // namespace

std::uint64_t Process::clock_hash() const {
  std::uint64_t hash = mix(static_cast<std::uint64_t>(static_cast<std::int64_t>(pace_)));
  hash = add(hash, timers_);
  if (pace_ != Pace::kExact) hash = add(hash, drifting_now());
  return stalled_ ? add(hash, wakes_at_) : hash;
}

std::uint64_t World::timer_hash() {
  std::uint64_t hash = 0;
  timers_.each([&](const internal::TimerQueue& queue, TimerKind, std::uint32_t) {
    hash = add(hash, queue);
  });
  return hash;
}

std::optional<TimePoint> World::find_next_timers() {
  std::optional<TimePoint> first;
  next_timers_.clear();
  const auto look_at = [&](TimePoint due, const NextTimer& timer) {
    if (first && due > *first) return;
    if (first && due < *first) next_timers_.clear();
    first = due;
    next_timers_.push_back(timer);
  };
  timers_.each([&](internal::TimerQueue& queue, TimerKind kind, std::uint32_t index) {
    if (!queue.empty()) look_at(queue.earliest().due, {&queue, kind, index});
  });
  for (std::uint32_t index = 0; index < process_count_; ++index) {
    Process& process = *processes_[index];
    if (process.stalled_ || process.timers_.empty()) continue;
    look_at(process.in_world_time(process.timers_.earliest().due),
            {&process.timers_, TimerKind::kProcess, index});
  }
  return first;
}

bool World::a_timer_runs() const {
  return !timers_.empty() || std::any_of(processes_.begin(), processes_.begin() + process_count_,
                                         [](const auto& process) {
                                           return !process->stalled_ && !process->timers_.empty();
                                         });
}

bool World::waits_for_the_clock() {
  bool waits = false;
  timers_.each([&](const internal::TimerQueue& queue, TimerKind, std::uint32_t) {
    waits |= !queue.only_background();
  });
  return waits || std::any_of(processes_.begin(), processes_.begin() + process_count_,
                              [](const auto& process) {
                                return !process->stalled_ && !process->timers_.only_background();
                              });
}

bool World::may_fire(std::optional<TimePoint> due) const {
  if (!due) return false;
  for (std::uint32_t index = 0; stalled_count_ > 0 && index < process_count_; ++index) {
    const Process& process = *processes_[index];
    if (process.stalled_ && process.wakes_at_ < *due) return false;
  }
  return true;
}

void World::move_clock(TimePoint to) {
  now_ = std::max(now_, to);
  for (std::uint32_t index = 0; stalled_count_ > 0 && index < process_count_; ++index) {
    Process& process = *processes_[index];
    if (process.stalled_ && process.wakes_at_ < now_) wake(process);
  }
}

// Its kernel keeps the connections and acknowledges messages that the process does not read.
void World::stall(Process& process) {
  record_pace(process);
  if (process.stalled_) return;
  process.stalled_ = true;
  process.wakes_at_ = now_ + kLongestStall;
  ++stalled_count_;
  each_link_of(process, [this](LinkIndex link) { server_.fall_silent(link, now_); });
}

void World::wake(Process& process) {
  record_pace(process);
  if (!process.stalled_) return;
  process.stalled_ = false;
  --stalled_count_;
  each_link_of(process, [this](LinkIndex link) { server_.speak_up(link); });
}

void World::crash(Process& process) {
  acting_ = process.index();
  record_pace(process);
  // Destroying its tasks may touch memory that other processes use.
  if (recorder_) recorder_->writes(ObjectKind::kUserMemory);
  if (std::exchange(process.stalled_, false)) --stalled_count_;
  each_link_of(process, [this](LinkIndex link) {
    const auto sent = static_cast<std::uint32_t>(network_.at(link).requests.size());
    std::uint32_t accepted = 0;
    if (chooser_ && network_.at(link).open && sent > 0) {
      accepted = took(chooser_->shortcut(sent + 1) % (sent + 1));
    }
    cut(link, accepted, 0);
    network_.abandon(link);
  });
  process.tasks().clear();
  if (restarter_) restarter_->restart(process);
}

void World::drift(Process& process, bool fast) {
  record_pace(process);
  process.drift(fast ? Process::Pace::kFast : Process::Pace::kSlow);
}

}  // namespace lockstep::fakezk
