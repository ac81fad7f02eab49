#pragma once

#include <utility>

#include "lockstep/async_event.h"
#include "lockstep/internal/frame_pool.h"
#include "lockstep/internal/ref.h"

namespace lockstep::internal {

// The deletion of a znode in the background, for tasks that wait until it is over.
class Cleanup final : public Pooled, public Counted {
 public:
  explicit Cleanup(Executor& executor) : over(executor) {}

  AsyncEvent over;
};

// Travels with the duty to delete the znode, and ends the cleanup with it: because the znode is
// gone, because nothing is left to delete, or because the end of the session cuts the deletion
// short. One that is made without a cleanup has no effect.
class CleanupEnd {
 public:
  CleanupEnd() noexcept = default;
  explicit CleanupEnd(Ref<Cleanup> cleanup) noexcept : cleanup_(std::move(cleanup)) {}
  CleanupEnd(CleanupEnd&&) noexcept = default;
  CleanupEnd& operator=(CleanupEnd&&) = delete;
  ~CleanupEnd() {
    if (cleanup_) cleanup_->over.set();
  }

 private:
  Ref<Cleanup> cleanup_;
};

}  // namespace lockstep::internal
