#pragma once

#include <exception>
#include <utility>

#include "lockstep/executor.h"
#include "lockstep/internal/run_queue.h"
#include "lockstep/internal/timer_queue.h"

namespace lockstep::unit {

// A test decides when this executor runs, and how late.
class ManualExecutor final : public Executor {
 public:
  [[nodiscard]] TimePoint now() const override { return now_; }
  void post(Runnable& work) override { ready_.push(work); }
  void withdraw(Runnable& work) noexcept override { ready_.erase(work); }
  void start_timer(Timer& timer, TimePoint due) override { timers_.push(timer, due); }
  void stop_timer(Timer& timer) noexcept override { timers_.erase(timer); }
  void escaped(std::exception_ptr) noexcept override { std::terminate(); }
  Blocker& blocker() noexcept override { std::terminate(); }

  void set_time(TimePoint now) { now_ = now; }
  // Runs the timers that are due, but not what they post.
  void fire_timers() {
    while (!timers_.empty() && timers_.earliest().due <= now_) timers_.pop().run();
  }
  // Runs what was posted; returns how much that was.
  int run_posted() {
    int ran = 0;
    while (Runnable* const work = ready_.pop()) {
      work->run();
      ++ran;
    }
    return ran;
  }
  [[nodiscard]] std::size_t timers() const { return timers_.size(); }

 private:
  internal::RunQueue ready_;
  internal::TimerQueue timers_;
  TimePoint now_{};
};

}  // namespace lockstep::unit
