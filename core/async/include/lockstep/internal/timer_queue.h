#pragma once

#include <vector>

#include "lockstep/executor.h"

namespace lockstep::internal {

// The timers of one executor: a binary heap ordered by due time, then by order of starting, so
// that the order never depends on addresses. Each timer knows its position, which makes stopping
// it logarithmic. Not thread-safe.
class TimerQueue {
 public:
  [[nodiscard]] bool empty() const noexcept { return heap_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return heap_.size(); }
  // Whether all timers are background timers.
  [[nodiscard]] bool only_background() const noexcept { return background_ == heap_.size(); }
  [[nodiscard]] const Timer& earliest() const { return *heap_.front(); }
  // The due times of all timers, in ascending order.
  [[nodiscard]] std::vector<TimePoint> due() const;
  void push(Timer& timer, TimePoint due);
  void erase(Timer& timer) noexcept;  // Does nothing if the timer is idle.
  Timer& pop();
  void clear() noexcept;

 private:
  [[nodiscard]] static bool earlier(const Timer& a, const Timer& b) noexcept {
    return a.due != b.due ? a.due < b.due : a.order < b.order;
  }
  void place(std::size_t position, Timer& timer) noexcept;
  void sift_up(std::size_t position) noexcept;
  void sift_down(std::size_t position) noexcept;

  std::vector<Timer*> heap_;
  std::uint64_t next_order_ = 0;
  std::size_t background_ = 0;  // the background timers in the heap
};

}  // namespace lockstep::internal
