#pragma once

#include <link.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace lockstep::intercept {

// Loaded objects: the program and its shared libraries.

// Returns the first object that has that part in its file name; none if no object has.
[[nodiscard]] std::optional<dl_phdr_info> find_object(std::string_view part);
[[nodiscard]] std::span<const std::byte> code_of(const dl_phdr_info& object);
// Returns the variables of a loaded object: its writable memory, except the memory that the dynamic
// loader writes. That is the part that becomes read-only after relocation (RELRO), and the table of
// addresses of functions that are bound at their first call.
[[nodiscard]] std::vector<std::span<std::byte>> variables_of(const dl_phdr_info& object);

}  // namespace lockstep::intercept
