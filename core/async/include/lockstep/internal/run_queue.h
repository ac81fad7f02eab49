#pragma once

#include "lockstep/executor.h"

namespace lockstep::internal {

// A first-in, first-out, intrusive queue: the core of every executor. Not thread-safe.
class RunQueue {
 public:
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  void push(Runnable& work) noexcept;
  void erase(Runnable& work) noexcept;  // Does nothing if `work` is not queued.
  [[nodiscard]] Runnable* pop() noexcept;

 private:
  Runnable* first_ = nullptr;
  Runnable* last_ = nullptr;
};

inline void RunQueue::push(Runnable& work) noexcept {
  work.queued = true;
  work.next_queued = nullptr;
  work.previous_queued = last_;
  if (last_) {
    last_->next_queued = &work;
  } else {
    first_ = &work;
  }
  last_ = &work;
}

inline void RunQueue::erase(Runnable& work) noexcept {
  if (!work.queued) return;
  Runnable* const next = work.next_queued;
  Runnable* const previous = work.previous_queued;
  if (previous) {
    previous->next_queued = next;
  } else {
    first_ = next;
  }
  if (next) {
    next->previous_queued = previous;
  } else {
    last_ = previous;
  }
  work.queued = false;
}

inline Runnable* RunQueue::pop() noexcept {
  Runnable* const work = first_;
  if (!work) return nullptr;
  first_ = work->next_queued;
  (first_ ? first_->previous_queued : last_) = nullptr;
  work->queued = false;
  return work;
}

}  // namespace lockstep::internal
