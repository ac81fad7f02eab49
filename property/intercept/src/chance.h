#pragma once

#include <cstddef>

#include "lockstep/intercept/execution.h"

namespace lockstep::intercept {

// Fills `bytes` from the execution's entropy: executions that ask in the same order get the same
// bytes.
void fill(Execution& execution, void* bytes, std::size_t size);

}  // namespace lockstep::intercept
