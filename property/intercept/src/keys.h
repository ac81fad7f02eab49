#pragma once

#include <vector>

namespace lockstep::intercept {

// Calls the destructors of a thread's values, as its end does.
void destroy_specifics(std::vector<void*>& values);

}  // namespace lockstep::intercept
