#pragma once

#include "chaos/contender/reporter.h"
#include "lockstep/executor.h"

namespace lockstep::chaos {

// Reports that an executor has not run for a while: its process was stopped or not scheduled, and
// learned of everything later. Made on any thread; outlives the executor.
class StallWatch final : public Timer {
 public:
  StallWatch(Executor& executor, Reporter& reporter) : executor_(executor), reporter_(reporter) {
    executor_.post(*this);
  }

 private:
  static constexpr std::chrono::milliseconds kPeriod{20};
  static constexpr std::chrono::milliseconds kTolerated{40};

  void run() override {
    const TimePoint now = executor_.now();
    if (last_ != TimePoint() && now - last_ > kTolerated) {
      Event event{.kind = Kind::kStalled, .detail = (now - last_).count()};
      reporter_.report(std::move(event));
    }
    last_ = now;
    executor_.start_timer(*this, now + kPeriod);
  }

  Executor& executor_;
  Reporter& reporter_;
  TimePoint last_{};
};

}  // namespace lockstep::chaos
