#pragma once

#include <cstddef>

#include "lockstep/intercept/execution.h"

namespace lockstep::intercept {

// Fills in bytes that are the same in each execution, if it asks in the same order.
void fill(Execution& execution, void* bytes, std::size_t size);

}  // namespace lockstep::intercept
