#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>

#include "lockstep/session.h"
#include "lockstep/session_observer.h"

namespace lockstep::support {

// Counts a session's dependent round trips: a request sent after an answer counts one more than
// that answer; requests sent without waiting for each other share one. Requests are answered in
// order, so it needs no names for them. Works only if no request loses its waiter before the
// answer.
class RoundTrips final : public SessionObserver {
 public:
  explicit RoundTrips(Session& session) : session_(session) { session_.set_observer(this); }
  ~RoundTrips() override { session_.set_observer(nullptr); }

  // The round trips waited for since start().
  [[nodiscard]] std::size_t taken() const { return taken_; }
  // Counts from zero; requests in flight do not count.
  void start() {
    taken_ = 0;
    std::ranges::fill(under_way_, std::size_t{0});
  }
  [[nodiscard]] bool idle() const { return under_way_.empty(); }

 private:
  void requested(OpCode) override { under_way_.push_back(taken_ + 1); }
  void answered(OpCode, std::optional<Error>) override {
    taken_ = std::max(taken_, under_way_.front());
    under_way_.pop_front();
  }

  Session& session_;
  std::size_t taken_ = 0;
  std::deque<std::size_t> under_way_;
};

}  // namespace lockstep::support
