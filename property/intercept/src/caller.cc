#include "caller.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdint>

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

// The address range of an object's code.
struct Code {
  [[nodiscard]] bool has(const void* address) const { return address >= begin && address < end; }

  const void* begin = nullptr;
  const void* end = nullptr;
};

struct Search {
  std::string_view file_name;
  Code found{};
};

int look(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (std::string_view(object->dlpi_name).find(search.file_name) == std::string_view::npos) {
    return 0;
  }
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = object->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = object->dlpi_addr + header.p_vaddr;
    // NOLINTBEGIN(performance-no-int-to-ptr): the loader's addresses are numbers.
    search.found = {reinterpret_cast<const void*>(begin),
                    reinterpret_cast<const void*>(begin + header.p_memsz)};
    // NOLINTEND(performance-no-int-to-ptr)
  }
  return 1;
}

// Returns an empty range if no loaded object has that part in its file name.
Code find_code(std::string_view file_name) {
  Search search{file_name};
  ::dl_iterate_phdr(&look, &search);
  return search.found;
}

}  // namespace

bool is_library_code(const void* address) {
  static const Code library = find_code("/libzookeeper");
  return library.has(address);
}

bool is_unwinder_code(const void* address) {
  static const Code unwinder = find_code("/libgcc_s.");
  return unwinder.has(address);
}

// Finds shared runtimes only, such as GCC's. Clang links its runtimes into the program; keys.cc
// knows those by the time at which they create their keys.
bool is_sanitizer_code(const void* address) {
  constexpr std::array<std::string_view, 4> kRuntimes = {"/libasan.", "/libtsan.", "/liblsan.",
                                                         "/libubsan."};
  return has_any(object_of(address), kRuntimes);
}

}  // namespace lockstep::intercept
