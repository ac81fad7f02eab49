#pragma once

#include <cstddef>

#include "lockstep/internal/frame_pool.h"

namespace lockstep::internal {

// An Allocator (C++ named requirements) over the frame pool, for small containers that a simulation
// creates in every execution.
template <class T>
class PoolAllocator {
 public:
  using value_type = T;

  PoolAllocator() noexcept = default;
  template <class Other>
  PoolAllocator(const PoolAllocator<Other>&) noexcept {}  // NOLINT: containers convert

  [[nodiscard]] T* allocate(std::size_t count) {
    static_assert(alignof(T) <= alignof(std::max_align_t));
    return static_cast<T*>(allocate_frame(count * kSize));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    release_frame(static_cast<void*>(memory), count * kSize);
  }
  friend bool operator==(const PoolAllocator&, const PoolAllocator&) noexcept { return true; }

 private:
  static constexpr std::size_t kSize =
      sizeof(T);  // NOLINT(bugprone-sizeof-expression): a pointer's
};

}  // namespace lockstep::internal
