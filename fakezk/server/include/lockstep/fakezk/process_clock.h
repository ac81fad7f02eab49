#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "lockstep/fakezk/footprint.h"
#include "lockstep/internal/timer_queue.h"

namespace lockstep::fakezk {

// The time of a simulated world, which its processes read. It never goes back, except for a reset.
class WorldTime {
 public:
  [[nodiscard]] TimePoint now() const { return now_; }
  void reset_to(TimePoint time) { now_ = time; }
  void move_to(TimePoint time) { now_ = std::max(now_, time); }
  // Sets the recorder of accesses; null: none.
  void record_into(FootprintRecorder* recorder) { recorder_ = recorder; }
  // Records that code of a process has read a clock, or its timers.
  void record_read() const {
    if (recorder_) recorder_->reads(ObjectKind::kClock);
  }

 private:
  TimePoint now_{};
  FootprintRecorder* recorder_ = nullptr;
};

// The clock of one simulated process, with its timers. It runs with the world's unless it drifts.
class ProcessClock {
 public:
  explicit ProcessClock(const WorldTime& time) : time_(time) {}

  // Makes the clock exact, and removes its timers.
  void reset();
  // For the process: reports to the recorder of the world's time.
  [[nodiscard]] TimePoint now() const {
    time_.record_read();
    return shown();
  }
  // The same without a report: for a time that is stored, and that the process may never read.
  [[nodiscard]] TimePoint shown() const { return is_exact() ? time_.now() : drifting_now(); }
  void start(Timer& timer, TimePoint due) {
    time_.record_read();
    timers_.push(timer, due);
  }
  void stop(Timer& timer) noexcept {
    time_.record_read();
    timers_.erase(timer);
  }

  // From now on it is slow or fast by one part in kDriftParts.
  void drift(bool fast);
  [[nodiscard]] bool is_exact() const { return pace_ == Pace::kExact; }
  // The timers, due by this clock.
  [[nodiscard]] internal::TimerQueue& timers() { return timers_; }
  [[nodiscard]] const internal::TimerQueue& timers() const { return timers_; }
  // The world's time when the earliest timer is due by this clock, or a little later, because a
  // timer never fires early; none without a timer.
  [[nodiscard]] std::optional<TimePoint> next_due() const;
  // All that decides what it shows and when its timers fire from now on.
  [[nodiscard]] std::uint64_t hash() const;

 private:
  enum class Pace : std::int8_t { kSlow = -1, kExact = 0, kFast = 1 };

  [[nodiscard]] TimePoint drifting_now() const;
  [[nodiscard]] TimePoint in_world_time(TimePoint due) const;

  const WorldTime& time_;
  internal::TimerQueue timers_;
  Pace pace_ = Pace::kExact;
  TimePoint drifts_since_{};  // In world time,
  TimePoint drifted_from_{};  // and by this clock.
};

// Adds a time, or when timers are due, to a hash.
[[nodiscard]] std::uint64_t hash_with(std::uint64_t hash, TimePoint time);
[[nodiscard]] std::uint64_t hash_with(std::uint64_t hash, const internal::TimerQueue& timers);

}  // namespace lockstep::fakezk
