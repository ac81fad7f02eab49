#pragma once

#include <cstddef>

#include "lockstep/intercept/execution.h"

namespace lockstep::intercept {

// The same bytes in each execution, as far as it asks in the same order.
void fill(Execution& execution, void* bytes, std::size_t size);

}  // namespace lockstep::intercept
