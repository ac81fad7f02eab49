#include "lockstep/fakezk/process_clock.h"

#include "lockstep/fakezk/fault.h"
#include "lockstep/fakezk/random_stream.h"

namespace lockstep::fakezk {

namespace {

// No execution lasts so long, 146 years, and no time before it overflows when it is converted.
constexpr TimePoint kEndOfTime(Duration::max() / 2);

}  // namespace

void ProcessClock::reset() {
  timers_.clear();
  pace_ = Pace::kExact;
}

void ProcessClock::drift(bool fast) {
  drifted_from_ = now();
  drifts_since_ = time_.now();
  pace_ = fast ? Pace::kFast : Pace::kSlow;
}

TimePoint ProcessClock::drifting_now() const {
  const Duration gone = time_.now() - drifts_since_;
  return drifted_from_ + gone + static_cast<int>(pace_) * (gone / kDriftParts);
}

TimePoint ProcessClock::in_world_time(TimePoint due) const {
  if (is_exact()) return due;
  if (due <= drifted_from_) return drifts_since_;
  if (due > kEndOfTime) return TimePoint::max();
  const Duration shown = due - drifted_from_;
  Duration gone =
      shown - static_cast<int>(pace_) * (shown / (kDriftParts + static_cast<int>(pace_)));
  // Rounds up to whole ticks of the clock, so that no timer fires early.
  while (gone + static_cast<int>(pace_) * (gone / kDriftParts) < shown) ++gone;
  return drifts_since_ + gone;
}

std::optional<TimePoint> ProcessClock::next_due() const {
  if (timers_.empty()) return std::nullopt;
  return in_world_time(timers_.earliest().due);
}

std::uint64_t ProcessClock::hash() const {
  std::uint64_t hash = mix(static_cast<std::uint64_t>(static_cast<std::int64_t>(pace_)));
  hash = hash_with(hash, timers_);
  return is_exact() ? hash : hash_with(hash, drifting_now());
}

std::uint64_t hash_with(std::uint64_t hash, TimePoint time) {
  return mix(hash ^ static_cast<std::uint64_t>(time.time_since_epoch().count()));
}

std::uint64_t hash_with(std::uint64_t hash, const internal::TimerQueue& timers) {
  hash = mix(hash ^ timers.size());
  for (const TimePoint due : timers.due()) hash = hash_with(hash, due);
  return hash;
}

}  // namespace lockstep::fakezk
