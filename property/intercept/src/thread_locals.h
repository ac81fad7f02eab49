#pragma once

#include <cstddef>

namespace lockstep::intercept {

// The thread_local variables of one intercepted thread: a block as the loader makes it for each
// thread, with addresses of its own. The thread pointer (the FS register) leads to it while the
// thread runs.
//
// All intercepted threads run on one real thread. Its variables of libc (except errno), of a
// sanitizer, of Lockstep as a library, and those that have been declared shared are the same for
// all of them: each switch copies them.
class ThreadLocals {
 public:
  // Variables with their initial values. Throws std::logic_error if this libc has no such blocks.
  ThreadLocals();
  ThreadLocals(const ThreadLocals&) = delete;
  ThreadLocals& operator=(const ThreadLocals&) = delete;
  ~ThreadLocals();

  // Reads where the variables of each module are, which is done once. As the constructor throws.
  static void prepare();
  // From now on, this memory of the real thread is shared.
  static void share(const void* begin, std::size_t bytes);

  // Take the place of the real thread's variables, and give it back.
  void enter();
  void leave();

 private:
  std::byte* block_;           // Belongs to a pool.
  std::byte* real_ = nullptr;  // The real thread's, while these are in its place.
};

}  // namespace lockstep::intercept
