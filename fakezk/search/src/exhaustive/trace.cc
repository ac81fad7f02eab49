#include "exhaustive/trace.h"

#include <algorithm>

namespace lockstep::search {

std::size_t Trace::count(StepKey key) const {
  const auto end = steps_.begin() + static_cast<std::ptrdiff_t>(size_);
  return static_cast<std::size_t>(std::ranges::count(steps_.begin(), end, key, &TraceStep::key));
}

TraceStep& Trace::append() {
  if (size_ == steps_.size()) steps_.resize(2 * size_ + 8);
  TraceStep& step = steps_[size_++];
  step.numbers.clear();
  step.footprint.clear();
  step.sender = fakezk::FootprintRecorder::kNoStep;
  return step;
}

// A timer that fires because nothing else can happen depends on all earlier steps.
bool Trace::depends(const TraceStep& earlier, std::size_t number, const TraceStep& later) const {
  return earlier.key == later.key || later.sender == number || is_timer(later.key) ||
         earlier.footprint.conflicts_with(later.footprint);
}

// Goes backwards, so that the steps in between are known: a direct dependence that is not causal is
// a race.
void Trace::order(std::size_t step, const fakezk::PathTable& paths) {
  races_.clear();
  TraceStep& later = steps_[step];
  later.before.clear();
  for (std::size_t number = step; number-- > 0;) {
    const TraceStep& earlier = steps_[number];
    if (later.before.contains(number) || !depends(earlier, number, later)) continue;
    later.before.insert(number);
    later.before.insert(earlier.before);
    const bool caused = later.sender == number || later.key == earlier.key;
    if (!caused) races_.push_back(number);
  }
  identify(later, paths);
}

const std::vector<StepKey>& Trace::initials(std::size_t earlier, std::size_t later) {
  between_.clear();
  for (std::size_t step = earlier + 1; step < later; ++step) {
    if (!steps_[step].before.contains(earlier)) between_.insert(step);
  }
  between_.insert(later);
  return find_initials();
}

const std::vector<StepKey>& Trace::initials_of_causes(std::size_t from, std::size_t later,
                                                      const fakezk::Footprint& asleep) {
  between_.clear();
  initials_.clear();
  for (std::size_t step = from; step < later; ++step) {
    if (!steps_[later].before.contains(step)) continue;
    if (steps_[step].footprint.conflicts_with(asleep)) return initials_;
    between_.insert(step);
  }
  between_.insert(later);
  return find_initials();
}

// Finds the steps in between_ that depend on none of the others.
const std::vector<StepKey>& Trace::find_initials() {
  initials_.clear();
  between_.each([&](std::size_t step) {
    if (!steps_[step].before.meets(between_)) initials_.push_back(steps_[step].key);
  });
  return initials_;
}

bool Trace::independent(std::size_t first) const {
  const TraceStep& a = steps_[first];
  const TraceStep& b = steps_[first + 1];
  return !is_timer(a.key) && !depends(a, first, b);
}

void Trace::identify(TraceStep& step, const fakezk::PathTable& paths) {
  std::uint64_t before = 0;
  step.before.each([&](std::size_t earlier) { before += steps_[earlier].identity; });
  std::uint64_t hash = label(step.key, paths);
  for (const DrawnNumber& number : step.numbers) hash = fakezk::mix(hash ^ number.value) + 1;
  step.identity = fakezk::mix(fakezk::mix(before) ^ hash);
}

std::uint64_t Trace::identity() const {
  std::uint64_t sum = 0;
  for (std::size_t step = 0; step < size_; ++step) {
    if (steps_[step].key != kTheEnd) sum += steps_[step].identity;
  }
  return sum;
}

}  // namespace lockstep::search
