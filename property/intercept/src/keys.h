#pragma once

#include <vector>

namespace lockstep::intercept {

// Calls the destructors of the values of a thread that ends; again, a limited number of times, if
// destructors have set new values.
void destroy_specifics(std::vector<void*>& values);

}  // namespace lockstep::intercept
