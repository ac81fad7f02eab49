#pragma once

#include <vector>

namespace lockstep::intercept {

// Calls the destructors of a thread's values, at the end of the thread.
void destroy_specifics(std::vector<void*>& values);

}  // namespace lockstep::intercept
