#pragma once

#include <pthread.h>

#include <chrono>
#include <optional>
#include <string_view>

#include "lockstep/intercept/execution.h"

namespace lockstep::intercept {

// pthread_mutex_lock on the running thread, at most until that time.
int lock(Execution& execution, pthread_mutex_t& mutex, std::string_view call,
         std::optional<std::chrono::nanoseconds> until);
int try_lock(Execution& execution, pthread_mutex_t& mutex, std::string_view call);
int unlock(Execution& execution, pthread_mutex_t& mutex);

}  // namespace lockstep::intercept
