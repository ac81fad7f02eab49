#pragma once

// Functions of ThreadSanitizer's runtime; null in a program without it. The threads of an execution
// are fibers to the sanitizer. It does not see their intercepted calls, so this library must tell
// it what those calls synchronize.
extern "C" {
[[gnu::weak]] void __tsan_acquire(void* object);
[[gnu::weak]] void __tsan_release(void* object);
[[gnu::weak]] void __tsan_ignore_thread_begin();
[[gnu::weak]] void __tsan_ignore_thread_end();
}

namespace lockstep::intercept {

// Tells ThreadSanitizer that everything that the running thread has done happens before everything
// that another thread does after it has called happens_after() with the same object.
inline void happens_before(const void* object) {
  if (__tsan_release) __tsan_release(const_cast<void*>(object));
}
inline void happens_after(const void* object) {
  if (__tsan_acquire) __tsan_acquire(const_cast<void*>(object));
}

// ThreadSanitizer ignores accesses between these two calls: they are the runtime's, whose memory
// all threads share. They cannot race, because only one thread runs at a time.
inline void runtime_begins() {
  if (__tsan_ignore_thread_begin) __tsan_ignore_thread_begin();
}
inline void runtime_ends() {
  if (__tsan_ignore_thread_end) __tsan_ignore_thread_end();
}

}  // namespace lockstep::intercept
