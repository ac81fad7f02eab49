#pragma once

#include <setjmp.h>

#include <cstdint>

namespace lockstep::intercept {

// A cleanup handler of C code that is compiled without exceptions, as pthread_cleanup_push() of
// glibc leaves it on the stack (__pthread_unwind_buf_t in <pthread.h>). A jump to the buffer runs
// the handler. The rest of it belongs to libc, which is this library for a thread of an execution.
struct CleanupBuffer {
  __jmp_buf registers;
  int mask_was_saved;
  CleanupBuffer* before;  // The one of an earlier frame, or of an outer block.
  std::uintptr_t frame;   // The stack pointer of the function that has registered it.
};

// Runs the buffer's handler, which calls __pthread_unwind_next() at its end.
[[noreturn]] void clean_up(CleanupBuffer& buffer);

}  // namespace lockstep::intercept
