#pragma once

#include <cstddef>

namespace lockstep::program {

// Bytes of the heap that are in use in this process, by all threads.
[[nodiscard]] std::size_t heap_bytes();

}  // namespace lockstep::program
