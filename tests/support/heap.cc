#include "support/heap.h"

#include <malloc.h>

// Defined by a sanitizer's allocator, if there is one in the process.
extern "C" [[gnu::weak]] std::size_t __sanitizer_get_current_allocated_bytes();

namespace lockstep::support {

std::size_t heap_bytes() {
  if (__sanitizer_get_current_allocated_bytes) return __sanitizer_get_current_allocated_bytes();
  const struct mallinfo2 heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;  // Blocks of the arenas, and those mapped by themselves.
}

}  // namespace lockstep::support
