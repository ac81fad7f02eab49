#include "lockstep/internal/frame_pool.h"

namespace lockstep::internal {

#ifndef LOCKSTEP_POISON_FRAMES
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

thread_local Drain drain_at_exit;

}  // namespace

void* FramePool::refill(std::size_t size) {
  drain_at_exit.arm();
  return ::operator new(size);
}

void FramePool::drain() noexcept {
  for (Free*& list : free_) {
    while (list) {
      Free* const block = list;
      list = block->next;
      ::operator delete(block);
    }
  }
}
#endif

}  // namespace lockstep::internal
