#include "calls.h"
#include "handled.h"
#include "real.h"

// libstdc++ registers the destructors of thread_local variables with libc, which would call them at
// the end of the real thread. They belong to the end of the intercepted thread.

extern "C" {

int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* module) noexcept;

int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* module) noexcept {
  // of_caller() would miss variables that the runtime uses on the thread's stack.
  using lockstep::intercept::Execution;
  Execution* const execution = Execution::of_stack();
  if (!execution) return LOCKSTEP_REAL(__cxa_thread_atexit_impl)(destructor, object, module);
  execution->at_thread_exit(destructor, object);
  return 0;
}

}  // extern "C"

LOCKSTEP_LINKED(thread_atexit)
