#pragma once

// ThreadSanitizer's runtime, if the program has it. Threads of an execution are fibers to it, and
// it knows nothing of what they wait for, because their calls do not come to it.
extern "C" {
[[gnu::weak]] void __tsan_acquire(void* object);
[[gnu::weak]] void __tsan_release(void* object);
[[gnu::weak]] void __tsan_ignore_thread_begin();
[[gnu::weak]] void __tsan_ignore_thread_end();
}

namespace lockstep::intercept {

// Tells it that all that the running thread has done happens before all that others do once they
// have called happens_after() with that object.
inline void happens_before(const void* object) {
  if (__tsan_release) __tsan_release(const_cast<void*>(object));
}
inline void happens_after(const void* object) {
  if (__tsan_acquire) __tsan_acquire(const_cast<void*>(object));
}

// Accesses between these two, on the stack of a thread, are the runtime's: all threads share its
// memory, one at a time.
inline void runtime_begins() {
  if (__tsan_ignore_thread_begin) __tsan_ignore_thread_begin();
}
inline void runtime_ends() {
  if (__tsan_ignore_thread_end) __tsan_ignore_thread_end();
}

}  // namespace lockstep::intercept
