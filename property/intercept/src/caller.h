#pragma once

#include <string_view>

namespace lockstep::intercept {

// Whether this code belongs to libzookeeper, whose threads belong to the client that has created
// them. libstdc++ is not such a library: it creates threads for its caller.
[[nodiscard]] bool is_library_code(const void* address);
// Whether this code belongs to GCC's shared library for exceptions.
[[nodiscard]] bool is_unwinder_code(const void* address);
// Whether this code belongs to a sanitizer's runtime that is a shared library.
[[nodiscard]] bool is_sanitizer_code(const void* address);

}  // namespace lockstep::intercept
