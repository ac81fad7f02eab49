#include "calls.h"
#include "handled.h"
#include "real.h"

// Destructors of thread_local variables: libstdc++ registers them with libc.

extern "C" {

int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* module) noexcept;

int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* module) noexcept {
  // The runtime uses the running thread's variables, too.
  using lockstep::intercept::Execution;
  Execution* const execution = Execution::of_stack();
  if (!execution) return LOCKSTEP_REAL(__cxa_thread_atexit_impl)(destructor, object, module);
  execution->at_thread_exit(destructor, object);
  return 0;
}

}  // extern "C"

LOCKSTEP_LINKED(thread_atexit)
