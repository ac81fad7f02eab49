#pragma once

#include <atomic>
#include <cstdint>

#if defined(__has_include)
#if __has_include(<sys/single_threaded.h>)
// allow(include): tells whether a second thread exists; without it, counting is merely slower.
#include <sys/single_threaded.h>
#define LOCKSTEP_SINGLE_THREADED __libc_single_threaded
#endif
#endif
#ifndef LOCKSTEP_SINGLE_THREADED
#define LOCKSTEP_SINGLE_THREADED false
#endif

namespace lockstep::internal {

// A count of owners, shared between threads. While the process has one thread (a hunt with one
// job) it counts without atomic read-modify-write, as libstdc++'s shared_ptr does.
class ReferenceCount {
 public:
  void increment() noexcept {
    if (LOCKSTEP_SINGLE_THREADED) {
      count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    } else {
      count_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  // True for the owner that must destroy the object. The only one there is need not count: nobody
  // else could make another meanwhile.
  [[nodiscard]] bool decrement_is_last() noexcept {
    if (is_one()) return true;
    if (LOCKSTEP_SINGLE_THREADED) {
      count_.store(count_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
      return false;
    }
    return count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  // Whether the owner who asks is the only one: what others have done with the object is done.
  [[nodiscard]] bool is_one() const noexcept { return count_.load(std::memory_order_acquire) == 1; }

 private:
  std::atomic<std::uint32_t> count_{1};
};

}  // namespace lockstep::internal
