#pragma once

#include <cstddef>
#include <new>

#include "lockstep/internal/language.h"

// LOCKSTEP_POISON_FRAMES comes from the library's build (core/cmake/frames.cmake), not from the
// flags of the file that includes this header: the library and its users share the pool.
#if defined(__SANITIZE_THREAD__)
#define LOCKSTEP_KEEP_NO_FRAMES 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LOCKSTEP_KEEP_NO_FRAMES 1
#endif
#endif
#ifdef LOCKSTEP_POISON_FRAMES
// allow(include): the compiler's own, where there is an AddressSanitizer.
#include <sanitizer/asan_interface.h>
#endif

namespace lockstep::internal {

// The two pools have names of their own, and a library contains one of them: a program whose
// headers use the other does not link.
#ifdef LOCKSTEP_POISON_FRAMES
inline namespace poisoned_frames {
#else
inline namespace plain_frames {
#endif

// The free blocks of one size: they wait to be used again.
#ifdef LOCKSTEP_POISON_FRAMES
// The pool poisons them and reuses them only after a while, so the sanitizer sees a use after free
// and, in a reused block, also an access beyond the requested size. This is twice as fast as the
// sanitizer's heap.
class FreeBlocks {
 public:
  // Null if there is none.
  [[nodiscard]] void* take(std::size_t wanted, std::size_t) noexcept {
    if (count_ <= kAtRest) return nullptr;
    void* const block = oldest();
    __asan_unpoison_memory_region(block, wanted);
    return block;
  }
  void give_back(void* block, std::size_t size) noexcept {
    if (count_ == kMost) ::operator delete(oldest());
    blocks_[(first_ + count_++) % kMost] = block;
    __asan_poison_memory_region(block, size);
  }
  void drain() noexcept {
    while (count_ > 0) ::operator delete(oldest());
  }

 private:
  static constexpr std::size_t kMost = 64;
  static constexpr std::size_t kAtRest = 32;

  void* oldest() noexcept {
    void* const block = blocks_[first_];
    first_ = (first_ + 1) % kMost;
    --count_;
    return block;
  }

  void* blocks_[kMost] = {};
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};
#else
class FreeBlocks {
 public:
  // Null if there is none.
  [[nodiscard]] void* take(std::size_t, std::size_t size) noexcept {
    Free* const block = latest_;
    if (!block) return nullptr;
    latest_ = block->next;
    bytes_ -= size;
    return block;
  }
  // To the heap if there are enough already.
  void give_back(void* block, std::size_t size) noexcept {
    if (bytes_ + size > kMostBytes) return ::operator delete(block);
    bytes_ += size;
    latest_ = ::new (block) Free{latest_};
  }
  void drain() noexcept {
    while (Free* const block = latest_) {
      latest_ = block->next;
      ::operator delete(block);
    }
    bytes_ = 0;
  }

 private:
  struct Free {
    Free* next;
  };
#ifdef LOCKSTEP_KEEP_NO_FRAMES
  // ThreadSanitizer reports two successive uses of a block as a race, unless the block goes back to
  // the heap in between.
  static constexpr std::size_t kMostBytes = 0;
#else
  static constexpr std::size_t kMostBytes = std::size_t{4} << 10;
#endif

  Free* latest_ = nullptr;
  std::size_t bytes_ = 0;
};
#endif

// Memory for coroutine frames and other small objects that live for a moment: one free list per
// size class and thread, because the search creates and destroys a dozen frames per execution. Each
// of the 256 lists keeps at most 4 KiB, a thread therefore at most 1 MiB: frames that one thread
// allocates and another one releases must not pile up, and a process that needed many frames once
// must not keep them for good.
class FramePool {
 public:
  [[nodiscard]] void* allocate(std::size_t size) {
    const std::size_t index = size_class(size);
    if (index >= kClasses) return ::operator new(size);
    void* const block = free_[index].take(size, block_size(index));
    return block ? block : ::operator new(block_size(index));
  }
  void release(void* frame, std::size_t size) noexcept {
    const std::size_t index = size_class(size);
    if (index >= kClasses) return ::operator delete(frame);
    if (!drains_at_exit_) drain_at_exit();
    free_[index].give_back(frame, block_size(index));
  }
  // Gives everything back to the heap.
  void drain() noexcept;

 private:
  static constexpr std::size_t kGranule = 16;
  static constexpr std::size_t kClasses = 256;  // up to 4 KiB
  static constexpr std::size_t size_class(std::size_t size) { return (size - 1) / kGranule; }
  static constexpr std::size_t block_size(std::size_t index) { return (index + 1) * kGranule; }
  void drain_at_exit() noexcept;

  FreeBlocks free_[kClasses];
  bool drains_at_exit_ = false;
};

// Trivially constructed and destroyed, so that reaching it costs no guard; it is drained when the
// thread ends (see frame_pool.cc).
inline constinit thread_local FramePool frame_pool;

}  // inline namespace

inline void* allocate_frame(std::size_t size) { return frame_pool.allocate(size); }
inline void release_frame(void* frame, std::size_t size) noexcept {
  frame_pool.release(frame, size);
}

// Base for classes whose objects come from the frame pool.
struct Pooled {
  static void* operator new(std::size_t size) { return allocate_frame(size); }
  static void operator delete(void* frame, std::size_t size) noexcept {
    release_frame(frame, size);
  }
};

}  // namespace lockstep::internal
