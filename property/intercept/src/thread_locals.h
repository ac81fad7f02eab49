#pragma once

#include <cstddef>

namespace lockstep::intercept {

// The thread_local variables of one intercepted thread, in a block like those that the loader makes
// for threads, at separate addresses. The thread pointer (the FS register) points to it while the
// thread runs.
//
// All intercepted threads run on one real thread. They share its variables of libc (except errno),
// of a sanitizer, of Lockstep as a library, and those that were declared shared: each switch
// copies them.
class ThreadLocals {
 public:
  // Sets initial values. Throws std::logic_error if this libc has no such blocks.
  ThreadLocals();
  ThreadLocals(const ThreadLocals&) = delete;
  ThreadLocals& operator=(const ThreadLocals&) = delete;
  ~ThreadLocals();

  // Finds the variables of each module, once. Throws like the constructor.
  static void prepare();
  // From now on, this memory of the real thread is shared.
  static void share(const void* begin, std::size_t bytes);

  // Replaces the real thread's variables, and restores them.
  void enter();
  void leave();

 private:
  std::byte* block_;           // Belongs to a pool.
  std::byte* real_ = nullptr;  // The real thread's block, while this one replaces it.
};

}  // namespace lockstep::intercept
