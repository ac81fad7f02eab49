#include "cleanups.h"

#include <pthread.h>
#include <setjmp.h>

#include <cstddef>

#include "calls.h"
#include "handled.h"
#include "real.h"

namespace lockstep::intercept {

static_assert(sizeof(CleanupBuffer) <= sizeof(__pthread_unwind_buf_t));
static_assert(offsetof(CleanupBuffer, mask_was_saved) == sizeof(__jmp_buf));

// longjmp() reads no more of its buffer, because no mask was saved.
void clean_up(CleanupBuffer& buffer) { ::longjmp(reinterpret_cast<__jmp_buf_tag*>(&buffer), 1); }

namespace {

CleanupBuffer& of(__pthread_unwind_buf_t* buffer) {
  return *reinterpret_cast<CleanupBuffer*>(buffer);
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

// <pthread.h> declares the next three for C alone.
void __pthread_register_cancel(__pthread_unwind_buf_t* buffer);
void __pthread_unregister_cancel(__pthread_unwind_buf_t* buffer);
void __pthread_unwind_next(__pthread_unwind_buf_t* buffer);

// The frame of this function ends where its caller's stack pointer is.
void __pthread_register_cancel(__pthread_unwind_buf_t* buffer) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(__pthread_register_cancel)(buffer));
  of(buffer).frame = reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa());
  Execution::add_cleanup(of(buffer));
}

void __pthread_unregister_cancel(__pthread_unwind_buf_t* buffer) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(__pthread_unregister_cancel)(buffer));
  Execution::remove_cleanup(of(buffer));
}

void __pthread_unwind_next(__pthread_unwind_buf_t* buffer) {
  if (Execution::of_caller()) Execution::cleaned_up(of(buffer));
  LOCKSTEP_REAL(__pthread_unwind_next)(buffer);
  __builtin_unreachable();
}

}  // extern "C"

LOCKSTEP_LINKED(cleanups)
