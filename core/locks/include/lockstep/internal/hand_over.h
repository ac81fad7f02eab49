#pragma once

#include <utility>

#include "lockstep/async_event.h"
#include "lockstep/internal/frame_pool.h"
#include "lockstep/internal/ref.h"

namespace lockstep::internal {

// A grant of a read/write lock takes the place of another, whose request to revoke may still be on
// its way to it.
class HandOver final : public Pooled, public Counted {
 public:
  explicit HandOver(Executor& executor) : over(executor) {}

  AsyncEvent over;
};

// Ends a hand-over, also if the end of the session cuts it short.
class HandOverEnd {
 public:
  explicit HandOverEnd(Ref<HandOver> hand_over) : hand_over_(std::move(hand_over)) {}
  HandOverEnd(HandOverEnd&&) noexcept = default;
  HandOverEnd& operator=(HandOverEnd&&) = delete;
  ~HandOverEnd() {
    if (hand_over_) hand_over_->over.set();
  }

 private:
  Ref<HandOver> hand_over_;
};

}  // namespace lockstep::internal
