#include "caller.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "lockstep/intercept/objects.h"

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

// Returns an empty range if no loaded object has that part in its file name.
std::span<const std::byte> find_code(std::string_view part) {
  const std::optional<dl_phdr_info> object = find_object(part);
  return object ? code_of(*object) : std::span<const std::byte>();
}

bool has(std::span<const std::byte> code, const void* address) {
  return address >= code.data() && address < code.data() + code.size();
}

}  // namespace

bool is_library_code(const void* address) {
  static const std::span<const std::byte> library = find_code("/libzookeeper");
  return has(library, address);
}

bool is_unwinder_code(const void* address) {
  static const std::span<const std::byte> unwinder = find_code("/libgcc_s.");
  return has(unwinder, address);
}

// Finds shared runtimes only, such as GCC's. Clang links its runtimes into the program; keys.cc
// knows those by the time at which they create their keys.
bool is_sanitizer_code(const void* address) {
  constexpr std::array<std::string_view, 4> kRuntimes = {"/libasan.", "/libtsan.", "/liblsan.",
                                                         "/libubsan."};
  return has_any(object_of(address), kRuntimes);
}

}  // namespace lockstep::intercept
