#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exhaustive/step_key.h"
#include "exhaustive/step_set.h"
#include "lockstep/fakezk/footprint.h"
#include "lockstep/fakezk/world.h"

namespace lockstep::search {

// The numbers that a step has drawn; the same key with other numbers is another step.
struct DrawnNumber {
  std::uint32_t value;
  std::uint32_t options;
};

// One step of the schedule that is being searched.
struct TraceStep {
  StepKey key = 0;
  fakezk::Choice choice;
  std::vector<DrawnNumber> numbers;
  // The world's trace hash before the step, the same in every run that comes here.
  std::uint64_t hash = 0;
  fakezk::Footprint footprint;
  // The step that sent the message which this one takes.
  std::uint32_t sender = fakezk::FootprintRecorder::kNoStep;
  // Everything that each process had received before the step (Received).
  std::vector<std::uint64_t> received;
  StepSet before;              // All steps that happen before this one.
  std::uint64_t identity = 0;  // A hash of the step and of all that happens before it.
};

// The steps of one schedule, what each of them touched, and from that their partial order
// (happens-before) and the identity of the Mazurkiewicz trace.
class Trace {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] TraceStep& operator[](std::size_t step) { return steps_[step]; }
  [[nodiscard]] const TraceStep& operator[](std::size_t step) const { return steps_[step]; }
  [[nodiscard]] TraceStep& last() { return steps_[size_ - 1]; }
  [[nodiscard]] const TraceStep& last() const { return steps_[size_ - 1]; }
  [[nodiscard]] std::size_t count(StepKey key) const;

  // Appends an empty step.
  TraceStep& append();
  // Keeps the first `size` steps.
  void shorten(std::size_t size) { size_ = size; }

  // Finds the races of this step, and what happens before it. All earlier steps must be ordered.
  void order(std::size_t step, const fakezk::PathTable& paths);
  // The races of the step ordered last: the earlier steps, latest first, on which it depends
  // directly but not causally, so that the two could happen in the other order.
  [[nodiscard]] const std::vector<std::size_t>& races() const { return races_; }
  // The steps that can come first if `later` is to happen before `earlier`: of all steps between
  // the two that do not depend on `earlier`, those that depend on none of the others. `later` is
  // the step ordered last. Valid until the next call.
  [[nodiscard]] const std::vector<StepKey>& initials(std::size_t earlier, std::size_t later);
  // The steps that can come first if, from the state before the step `from`, `later` happens with
  // only what happens before it. Empty if some of that conflicts with `asleep`. Valid until the
  // next call.
  [[nodiscard]] const std::vector<StepKey>& initials_of_causes(std::size_t from, std::size_t later,
                                                               const fakezk::Footprint& asleep);
  // True if two adjacent steps happened independently, so that they could be swapped.
  [[nodiscard]] bool independent(std::size_t first) const;
  // Equal for all orders of one trace. All steps must be ordered.
  [[nodiscard]] std::uint64_t identity() const;

 private:
  [[nodiscard]] bool depends(const TraceStep& earlier, std::size_t number,
                             const TraceStep& later) const;
  const std::vector<StepKey>& find_initials();
  void identify(TraceStep& step, const fakezk::PathTable& paths);

  std::vector<TraceStep> steps_;  // Reused; only the first size_ are valid.
  std::size_t size_ = 0;
  std::vector<std::size_t> races_;
  StepSet between_;  // Scratch space of initials().
  std::vector<StepKey> initials_;
};

}  // namespace lockstep::search
