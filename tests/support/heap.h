#pragma once

#include <cstddef>

namespace lockstep::support {

// The heap bytes in use by all threads and libraries of this process.
[[nodiscard]] std::size_t heap_bytes();

}  // namespace lockstep::support
