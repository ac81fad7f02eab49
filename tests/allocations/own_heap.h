#pragma once

#include <atomic>
#include <cstddef>
#include <limits>

// The heap of this program, which is separate because it replaces the heap's operators.
namespace lockstep::heap {

// Counts only this thread's: a watchdog has a thread, too.
extern constinit thread_local std::size_t allocations;
// Bytes allocated and not freed, by all threads.
extern constinit std::atomic<std::ptrdiff_t> held;
extern constinit std::atomic<std::ptrdiff_t> held_bytes;

// This many allocations of this thread's coroutines succeed, and the next one fails: only that one.
// (The simulated servers are no coroutines.) With `everywhere`, all of this thread's count.
inline constexpr std::size_t kAllSucceed = std::numeric_limits<std::size_t>::max();
extern constinit thread_local std::size_t left_to_succeed;
extern constinit thread_local bool everywhere;
// How many have failed so.
extern constinit thread_local std::size_t failures;

}  // namespace lockstep::heap
