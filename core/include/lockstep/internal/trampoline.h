#pragma once

#include <coroutine>
#include <utility>

namespace lockstep::internal {

// Coroutines never resume each other: each names the one to run next and suspends, and the loop
// below runs them one after the other. The stack therefore stays flat however many of them
// complete synchronously. (Symmetric transfer would promise the same, but GCC 12 makes it a real
// call at -O0, -O1 and under sanitizers.)
inline constinit thread_local std::coroutine_handle<> next_coroutine{};

inline void run_next_coroutines() {
  while (const std::coroutine_handle<> next = std::exchange(next_coroutine, nullptr)) next.resume();
}

inline void run_coroutine(std::coroutine_handle<> coroutine) {
  next_coroutine = coroutine;
  run_next_coroutines();
}

// Ends the suspended coroutine at `address` with `error`, as if it had returned it there, and
// names the coroutine to run next.
using EndWithError = void (*)(void* address, int error);

}  // namespace lockstep::internal
