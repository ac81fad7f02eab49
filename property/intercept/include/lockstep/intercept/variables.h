#pragma once

#include <link.h>

#include <cstddef>
#include <span>
#include <vector>

namespace lockstep::intercept {

// The variables of a loaded object: its writable memory without that of the loader, which is the
// memory that becomes read-only after relocation, and the addresses of functions that the loader
// finds at their first call.
[[nodiscard]] std::vector<std::span<std::byte>> variables_of(const dl_phdr_info& object);

}  // namespace lockstep::intercept
