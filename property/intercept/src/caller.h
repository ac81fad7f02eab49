#pragma once

#include <string_view>

namespace lockstep::intercept {

// Whether this code belongs to a shared library that is not the user's. libzookeeper is one: its
// threads belong to the client that has created them. libstdc++ is not: it calls for its user.
[[nodiscard]] bool is_library_code(const void* address);
// Whether this code belongs to a sanitizer's runtime.
[[nodiscard]] bool is_sanitizer_code(const void* address);

}  // namespace lockstep::intercept
