#pragma once

#include <cstddef>

namespace lockstep::intercept {

// The thread_local variables of one intercepted thread, in a block of its own, such as the loader
// makes for each real thread. The thread pointer (the FS register) points to the block while the
// intercepted thread runs.
//
// All intercepted threads run on one real thread. They share its variables of libc (except errno),
// of a sanitizer and of Lockstep as a library: each switch copies them.
class ThreadLocals {
 public:
  // Variables begin with their initial values. Throws std::logic_error if this libc does not export
  // the functions that make such blocks.
  ThreadLocals();
  ThreadLocals(const ThreadLocals&) = delete;
  ThreadLocals& operator=(const ThreadLocals&) = delete;
  ~ThreadLocals();

  // Finds the variables of each module, which is done once per process. Throws like the
  // constructor.
  static void prepare();
  // From now on, threads begin with a copy of this memory of the real thread, which must not change
  // while there are any.
  static void share(const void* begin, std::size_t bytes);
  // The runtime uses this memory as threads do. A thread that leave() leaves in place has the real
  // thread's contents, now and in future.
  static void share_with_runtime(const void* begin, std::size_t bytes);

  // enter() replaces the real thread's variables with these. After leave() the real thread goes on,
  // which does not use variables of the code under test. On a machine where only a system call can
  // write the FS register, it still has these, because that call takes longer than all else in a
  // step, and most often the same thread goes on.
  void enter();
  void leave();
  // Restores the real thread's variables, if leave() has not.
  static void restore_real();

 private:
  static std::byte* save_real();

  inline static ThreadLocals* left_in_place_ = nullptr;

  std::byte* block_;           // From a pool, which gets it back.
  std::byte* real_ = nullptr;  // The real thread's block, while this one replaces it.
  int errno_ = 0;              // While it is left in place.
};

}  // namespace lockstep::intercept
