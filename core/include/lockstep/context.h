#pragma once

#include <optional>
#include <stop_token>
#include <utility>

#include "lockstep/clock.h"

namespace lockstep {

// What bounds a call: one total deadline and a stop token, passed down through every suspension
// point below it (Go's context.Context). A default Context never ends. Passing the deadline gives
// kTimedOut, stopping gives kCancelled; neither takes back a request that was already sent.
class Context {
 public:
  Context() = default;
  Context(TimePoint deadline) : deadline_(deadline) {}       // NOLINT
  Context(std::stop_token stop) : stop_(std::move(stop)) {}  // NOLINT
  Context(TimePoint deadline, std::stop_token stop) : deadline_(deadline), stop_(std::move(stop)) {}

  [[nodiscard]] std::optional<TimePoint> deadline() const { return deadline_; }
  [[nodiscard]] const std::stop_token& stop() const { return stop_; }
  [[nodiscard]] bool endless() const { return !deadline_ && !stop_.stop_possible(); }

 private:
  std::optional<TimePoint> deadline_;
  std::stop_token stop_;
};

}  // namespace lockstep
