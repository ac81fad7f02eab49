#include "lockstep/internal/frame_pool.h"

namespace lockstep::internal {

#ifndef LOCKSTEP_POISON_FRAMES
FramePool::~FramePool() {
  for (Free*& list : free_) {
    while (list) {
      Free* const block = list;
      list = block->next;
      ::operator delete(block);
    }
  }
}

FramePool& frame_pool() noexcept {
  thread_local FramePool pool;
  return pool;
}
#endif

}  // namespace lockstep::internal
