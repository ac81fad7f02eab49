#pragma once

#include <link.h>

#include <cstddef>
#include <span>
#include <vector>

namespace lockstep::intercept {

// The variables of a loaded object: its writable memory, without the loader's own: what it makes
// read-only after relocation, and the addresses of functions that it finds at their first call.
[[nodiscard]] std::vector<std::span<std::byte>> variables_of(const dl_phdr_info& object);

}  // namespace lockstep::intercept
