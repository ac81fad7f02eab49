#pragma once

#include <pthread.h>

#include <chrono>
#include <optional>
#include <string_view>

#include "lockstep/intercept/execution.h"

namespace lockstep::intercept {

// These do what the pthread functions do, on the running thread, and return 0 or the error. lock()
// returns ETIMEDOUT if the mutex is still taken at `until`. `call` names the intercepted function,
// for reports.
int lock(Execution& execution, pthread_mutex_t& mutex, std::string_view call,
         std::optional<std::chrono::nanoseconds> until);
int try_lock(Execution& execution, pthread_mutex_t& mutex, std::string_view call);
int unlock(Execution& execution, pthread_mutex_t& mutex);

}  // namespace lockstep::intercept
