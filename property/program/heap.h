#pragma once

#include <cstddef>

namespace lockstep::program {

// Bytes of the heap in use by all threads of this process.
[[nodiscard]] std::size_t heap_bytes();

}  // namespace lockstep::program
