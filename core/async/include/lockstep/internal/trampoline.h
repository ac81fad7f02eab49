#pragma once

#include <coroutine>
#include <cstdint>
#include <utility>

#include "lockstep/internal/check.h"
#include "lockstep/internal/language.h"

namespace lockstep::internal {

// Coroutines never resume each other: each names the one to run next and suspends, and the loop
// below runs them one after the other. The stack therefore stays flat however many of them complete
// synchronously. (Symmetric transfer would promise the same, but GCC 12 makes it a real call at
// -O0, -O1 and under sanitizers.)
inline constinit thread_local std::coroutine_handle<> next_coroutine{};
// One for each loop below that is on the stack: a coroutine that runs may start another one.
struct RunningCoroutine {
  std::coroutine_handle<> coroutine{};  // Null once it has its outcome.
  RunningCoroutine* outer = nullptr;
};
inline constinit thread_local RunningCoroutine* innermost_running = nullptr;

// Destroys a coroutine that waits or has not begun.
[[gnu::noinline]] inline void destroy_coroutine(std::coroutine_handle<> coroutine) noexcept {
  for (const RunningCoroutine* running = innermost_running; running; running = running->outer) {
    check(coroutine != running->coroutine,
          "a task destroys itself while it runs, for example by clearing its own TaskSet");
  }
  coroutine.destroy();
}

// `coroutine` has its outcome and may be destroyed, even if it is the one that runs.
inline void outcome_is_complete(std::coroutine_handle<> coroutine) noexcept {
  RunningCoroutine* const running = innermost_running;
  if (running && running->coroutine == coroutine) running->coroutine = nullptr;
}

// Decides whether coroutines that run on without a wait may continue. A simulated world sets it,
// because code that never ends would hang the search. Production has none.
class ChainLimit {
 public:
  // Called when `in_a_row` coroutines have run, or waits been ready at once, without a real wait.
  // If it returns false, the next coroutine does not run and stays suspended until its owner
  // destroys it.
  virtual bool may_go_on(std::uint64_t in_a_row) noexcept = 0;

 protected:
  ~ChainLimit() = default;
};
inline constinit thread_local ChainLimit* chain_limit = nullptr;
inline constexpr std::uint64_t kLongChain = 1 << 16;  // It is called at each multiple of this.

[[gnu::noinline, gnu::cold]] inline bool chain_may_go_on(std::uint64_t in_a_row) {
  return !chain_limit || chain_limit->may_go_on(in_a_row);
}

// Counts waits that were ready at once; a world resets it when time goes on.
inline constinit thread_local std::uint64_t ready_waits = 0;

[[nodiscard]] inline bool may_wait_for_nothing() {
  ++ready_waits;
  return ready_waits % kLongChain != 0 || chain_may_go_on(ready_waits);
}

inline void run_next_coroutines() {
  RunningCoroutine running{{}, innermost_running};
  innermost_running = &running;
  std::uint64_t in_a_row = 0;
  while (const std::coroutine_handle<> next = std::exchange(next_coroutine, nullptr)) {
    running.coroutine = next;
    next.resume();
    ++in_a_row;
    if (in_a_row % kLongChain == 0 && !chain_may_go_on(in_a_row)) next_coroutine = nullptr;
  }
  innermost_running = running.outer;
}

inline void run_coroutine(std::coroutine_handle<> coroutine) {
  next_coroutine = coroutine;
  run_next_coroutines();
}

// Ends the suspended coroutine at `address` with `error`, as if it had returned it there, and
// names the coroutine to run next.
using EndWithError = void (*)(void* address, int error);

}  // namespace lockstep::internal
