#pragma once

namespace lockstep::intercept {

// pthread_exit() throws this to unwind the thread's stack.
struct ThreadExit {
  void* result;
};

}  // namespace lockstep::intercept
