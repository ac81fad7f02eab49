#include "lockstep/internal/frame_pool.h"

namespace lockstep::internal {

namespace {

// Drains its thread's pool at the end of the thread.
class Drain {
 public:
  Drain() = default;
  Drain(const Drain&) = delete;
  Drain& operator=(const Drain&) = delete;
  ~Drain() { frame_pool.drain(); }
  void arm() noexcept {}
};

thread_local Drain at_exit;

}  // namespace

void FramePool::drain_at_exit() noexcept {
  at_exit.arm();
  drains_at_exit_ = true;
}

void FramePool::drain() noexcept {
  for (FreeBlocks& blocks : free_) blocks.drain();
}

}  // namespace lockstep::internal
