#pragma once

#include <atomic>
#include <cstdint>

namespace lockstep::internal {

// A count of owners, shared between threads.
class ReferenceCount {
 public:
  void increment() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  // True for the owner that must destroy the object. The only one there is need not count: nobody
  // else could make another meanwhile.
  [[nodiscard]] bool decrement_is_last() noexcept {
    return is_one() || count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  // Whether the owner who asks is the only one: what others have done with the object is done.
  [[nodiscard]] bool is_one() const noexcept { return count_.load(std::memory_order_acquire) == 1; }

 private:
  std::atomic<std::uint32_t> count_{1};
};

}  // namespace lockstep::internal
