#pragma once

#include <sched.h>

#include <cstddef>

#include "lockstep/intercept/thread.h"

namespace lockstep::intercept {

// Code under test sees a small machine, whatever the real one has: the number of processors often
// decides how many threads it starts, and executions are the same everywhere.
inline constexpr int kProcessors = 4;

// The processors on which the thread may run; those that it has chosen have no effect. `choose`
// returns 0 or the error.
[[nodiscard]] int choose_processors(Thread& thread, std::size_t size, const cpu_set_t* processors);
void show_processors(const Thread& thread, std::size_t size, cpu_set_t* processors);

}  // namespace lockstep::intercept
