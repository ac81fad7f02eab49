#pragma once

#include <link.h>

#include <cstddef>
#include <span>
#include <vector>

namespace lockstep::intercept {

// Returns the variables of a loaded object: its writable memory, except the memory that the dynamic
// loader writes. That is the part that becomes read-only after relocation (RELRO), and the table of
// addresses of functions that are bound at their first call.
[[nodiscard]] std::vector<std::span<std::byte>> variables_of(const dl_phdr_info& object);

}  // namespace lockstep::intercept
