#pragma once

namespace lockstep::intercept {

// Thrown by pthread_exit: unwinds the thread's stack.
struct ThreadExit {
  void* result;
};

}  // namespace lockstep::intercept
