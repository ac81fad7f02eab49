#pragma once

#include <cstddef>

#include "lockstep/internal/frame_pool.h"

namespace lockstep::internal {

// An Allocator (C++ named requirements) over the frame pool, for small containers that a simulation
// makes anew in each execution.
template <class T>
class PoolAllocator {
 public:
  using value_type = T;

  PoolAllocator() noexcept = default;
  template <class Other>
  PoolAllocator(const PoolAllocator<Other>&) noexcept {}  // NOLINT: containers convert

  [[nodiscard]] T* allocate(std::size_t count) {
    static_assert(alignof(T) <= alignof(std::max_align_t));
    return static_cast<T*>(allocate_frame(count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    release_frame(memory, count * sizeof(T));
  }
  friend bool operator==(const PoolAllocator&, const PoolAllocator&) noexcept { return true; }
};

}  // namespace lockstep::internal
