#pragma once

#include <sys/types.h>

namespace lockstep::intercept {

class Thread;

// The parent of all simulated processes.
inline constexpr pid_t kParentProcessId = 4710;

// Returns the thread's ID (gettid). Like in Linux, no two threads of an execution have the same
// one, and the first thread of a process has the ID of its process.
[[nodiscard]] pid_t thread_id(const Thread& thread);
// Returns the ID of the thread's process (getpid). A process that begins again has a new one.
[[nodiscard]] pid_t process_id(Thread& thread);

}  // namespace lockstep::intercept
