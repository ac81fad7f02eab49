#pragma once

#include <cstddef>

namespace lockstep::support {

// Bytes of the heap that are in use in this process, by all threads and libraries.
[[nodiscard]] std::size_t heap_bytes();

}  // namespace lockstep::support
