#pragma once

#include <cstddef>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#define LOCKSTEP_POISON_FRAMES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LOCKSTEP_POISON_FRAMES 1
#endif
#endif

namespace lockstep::internal {

// Memory for coroutine frames and other small objects that live for a moment: one free list per
// size class and thread, because the search creates and destroys a dozen frames per execution.
// Under AddressSanitizer every block comes from the heap, so that a use after free is seen.
#ifdef LOCKSTEP_POISON_FRAMES
inline void* allocate_frame(std::size_t size) { return ::operator new(size); }
inline void release_frame(void* frame, std::size_t) noexcept { ::operator delete(frame); }
#else
class FramePool {
 public:
  [[nodiscard]] void* allocate(std::size_t size) {
    const std::size_t index = size_class(size);
    if (index >= kClasses) return ::operator new(size);
    Free* const block = free_[index];
    if (!block) return refill((index + 1) * kGranule);
    free_[index] = block->next;
    return block;
  }
  void release(void* frame, std::size_t size) noexcept {
    const std::size_t index = size_class(size);
    if (index >= kClasses) return ::operator delete(frame);
    free_[index] = ::new (frame) Free{free_[index]};
  }
  // Gives everything back to the heap.
  void drain() noexcept;

 private:
  struct Free {
    Free* next;
  };
  static constexpr std::size_t kGranule = 64;
  static constexpr std::size_t kClasses = 64;  // up to 4 KiB
  static constexpr std::size_t size_class(std::size_t size) { return (size - 1) / kGranule; }
  static void* refill(std::size_t size);

  Free* free_[kClasses] = {};
};

// Trivially constructed and destroyed, so that reaching it costs no guard; it is drained when the
// thread ends (see frame_pool.cc).
inline constinit thread_local FramePool frame_pool;

inline void* allocate_frame(std::size_t size) { return frame_pool.allocate(size); }
inline void release_frame(void* frame, std::size_t size) noexcept {
  frame_pool.release(frame, size);
}
#endif

// Base for classes whose objects come from the frame pool.
struct Pooled {
  static void* operator new(std::size_t size) { return allocate_frame(size); }
  static void operator delete(void* frame, std::size_t size) noexcept {
    release_frame(frame, size);
  }
};

}  // namespace lockstep::internal
