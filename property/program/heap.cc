#include "heap.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LOCKSTEP_SANITIZED_HEAP 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LOCKSTEP_SANITIZED_HEAP 1
#endif
#endif

#ifdef LOCKSTEP_SANITIZED_HEAP
// Declared in allocator_interface.h, which GCC does not install.
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();
#else
#include <malloc.h>
#endif

namespace lockstep::program {

std::size_t heap_bytes() {
#ifdef LOCKSTEP_SANITIZED_HEAP
  return __sanitizer_get_current_allocated_bytes();
#else
  const struct mallinfo2 heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;  // blocks in arenas, and blocks mapped separately
#endif
}

}  // namespace lockstep::program
