#include "lockstep/internal/timer_queue.h"

#include <algorithm>

namespace lockstep::internal {

std::vector<TimePoint> TimerQueue::due() const {
  std::vector<TimePoint> due;
  for (const Timer* const timer : heap_) due.push_back(timer->due);
  std::ranges::sort(due);
  return due;
}

void TimerQueue::push(Timer& timer, TimePoint due) {
  timer.due = due;
  timer.order = next_order_++;
  background_ += timer.background ? 1 : 0;
  heap_.push_back(&timer);
  place(heap_.size() - 1, timer);
  sift_up(heap_.size() - 1);
}

void TimerQueue::erase(Timer& timer) noexcept {
  const std::size_t position = timer.position;
  if (position == Timer::kIdle) return;
  timer.position = Timer::kIdle;
  background_ -= timer.background ? 1 : 0;
  Timer* const last = heap_.back();
  heap_.pop_back();
  if (last == &timer) return;
  place(position, *last);
  sift_up(position);
  sift_down(last->position);
}

Timer& TimerQueue::pop() {
  Timer& timer = *heap_.front();
  erase(timer);
  return timer;
}

void TimerQueue::clear() noexcept {
  for (Timer* const timer : heap_) timer->position = Timer::kIdle;
  heap_.clear();
  background_ = 0;
  next_order_ = 0;
}

void TimerQueue::place(std::size_t position, Timer& timer) noexcept {
  heap_[position] = &timer;
  timer.position = position;
}

void TimerQueue::sift_up(std::size_t position) noexcept {
  Timer& timer = *heap_[position];
  while (position > 0) {
    const std::size_t parent = (position - 1) / 2;
    if (!earlier(timer, *heap_[parent])) break;
    place(position, *heap_[parent]);
    position = parent;
  }
  place(position, timer);
}

void TimerQueue::sift_down(std::size_t position) noexcept {
  Timer& timer = *heap_[position];
  for (;;) {
    std::size_t child = 2 * position + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && earlier(*heap_[child + 1], *heap_[child])) ++child;
    if (!earlier(*heap_[child], timer)) break;
    place(position, *heap_[child]);
    position = child;
  }
  place(position, timer);
}

}  // namespace lockstep::internal
