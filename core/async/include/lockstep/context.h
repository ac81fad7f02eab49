#pragma once

#include <optional>
#include <stop_token>
#include <utility>

#include "lockstep/clock.h"
#include "lockstep/internal/shared.h"

namespace lockstep {

// The bounds of a call: one total deadline and a stop token, passed down through every suspension
// point below it (Go's context.Context). A default Context never ends, and TimePoint::max() is no
// deadline. A passed deadline gives kTimedOut, a stop gives kCancelled; neither takes back a
// request that was already sent. within(executor, 30s) makes a context that ends after that time,
// and until() one that ends at any time_point of the clock: within.h.
class Context {
 public:
  Context() = default;
  Context(TimePoint deadline) : bounds_(Bounds{unless_never(deadline), {}}) {}       // NOLINT
  Context(std::stop_token stop) : bounds_(Bounds{std::nullopt, std::move(stop)}) {}  // NOLINT
  Context(TimePoint deadline, std::stop_token stop)
      : bounds_(Bounds{unless_never(deadline), std::move(stop)}) {}

  [[nodiscard]] std::optional<TimePoint> deadline() const {
    if (!bounds_) return std::nullopt;
    return bounds_->deadline;
  }
  [[nodiscard]] std::stop_token stop() const { return bounds_ ? bounds_->stop : std::stop_token(); }
  [[nodiscard]] bool stop_requested() const { return bounds_ && bounds_->stop.stop_requested(); }
  [[nodiscard]] bool endless() const {
    return !bounds_ || (!bounds_->deadline && !bounds_->stop.stop_possible());
  }

 private:
  struct Bounds {
    std::optional<TimePoint> deadline;
    std::stop_token stop;
  };
  static std::optional<TimePoint> unless_never(TimePoint deadline) {
    if (deadline == TimePoint::max()) return std::nullopt;
    return deadline;
  }

  internal::Shared<Bounds> bounds_;  // Most contexts have none and are cheap to pass on.
};

}  // namespace lockstep
