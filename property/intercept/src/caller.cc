#include "caller.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>

namespace lockstep::intercept {

namespace {

std::string_view object_of(const void* address) {
  Dl_info info{};
  if (::dladdr(address, &info) == 0 || !info.dli_fname) return {};
  return info.dli_fname;
}

template <std::size_t kCount>
bool has_any(std::string_view text, const std::array<std::string_view, kCount>& parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

}  // namespace

bool is_library_code(const void* address) {
  constexpr std::array<std::string_view, 1> kLibraries = {"/libzookeeper"};
  return has_any(object_of(address), kLibraries);
}

// Clang links its runtimes into the program; they make their keys before any other code runs.
bool is_sanitizer_code(const void* address) {
  constexpr std::array<std::string_view, 4> kRuntimes = {"/libasan.", "/libtsan.", "/liblsan.",
                                                         "/libubsan."};
  return has_any(object_of(address), kRuntimes);
}

}  // namespace lockstep::intercept
