#include "allocations/own_heap.h"

#include <malloc.h>

#include <cstdlib>
#include <new>

#include "lockstep/internal/trampoline.h"

namespace lockstep::heap {

constinit thread_local std::size_t allocations = 0;
constinit std::atomic<std::ptrdiff_t> held = 0;
constinit std::atomic<std::ptrdiff_t> held_bytes = 0;
constinit thread_local std::size_t left_to_succeed = kAllSucceed;
constinit thread_local bool everywhere = false;
constinit thread_local std::size_t failures = 0;

namespace {

bool fails() noexcept {
  if (left_to_succeed == kAllSucceed) return false;
  if (!everywhere && !internal::innermost_running) return false;
  if (left_to_succeed-- > 0) return false;
  left_to_succeed = kAllSucceed;
  ++failures;
  return true;
}

void* allocate(std::size_t size) {
  ++allocations;
  void* const memory = fails() ? nullptr : std::malloc(size);
  if (!memory) throw std::bad_alloc();
  ++held;
  held_bytes += static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  return memory;
}

void release(void* memory) noexcept {
  if (!memory) return;
  --held;
  held_bytes -= static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace
}  // namespace lockstep::heap

void* operator new(std::size_t size) { return lockstep::heap::allocate(size); }
void operator delete(void* memory) noexcept { lockstep::heap::release(memory); }
void operator delete(void* memory, std::size_t) noexcept { lockstep::heap::release(memory); }
