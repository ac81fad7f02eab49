#pragma once

#include <pthread.h>

#include "lockstep/intercept/execution.h"

namespace lockstep::intercept {

// A pthread_t of an intercepted thread is the address of its Thread.
[[nodiscard]] inline pthread_t handle_of(const Thread& thread) {
  return reinterpret_cast<pthread_t>(&thread);
}

// Returns null if the handle belongs to no thread of the execution.
[[nodiscard]] inline Thread* find_thread(const Execution& execution, pthread_t handle) {
  for (const auto& thread : execution.threads()) {
    if (handle_of(*thread) == handle) return thread.get();
  }
  return nullptr;
}

}  // namespace lockstep::intercept
