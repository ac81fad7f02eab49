#pragma once

#include <string_view>

namespace lockstep::intercept {

// Whether this code belongs to a shared library that is not the user's: libzookeeper, for example,
// whose threads belong to the client that has created them. libstdc++ calls for its user.
[[nodiscard]] bool is_library_code(const void* address);
// Whether a sanitizer's runtime holds this code.
[[nodiscard]] bool is_sanitizer_code(const void* address);

}  // namespace lockstep::intercept
