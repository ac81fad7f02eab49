#include "lockstep/intercept/objects.h"

#include <dlfcn.h>
#include <elf.h>
#include <gtest/gtest.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

// Code of loaded objects, and their memory that executions put back.

namespace lockstep::intercept {
namespace {

int a_variable = 1;

std::span<const ElfW(Phdr)> headers_of(const dl_phdr_info& object) {
  return {object.dlpi_phdr, object.dlpi_phnum};
}

// The addresses of functions that the object calls, without the three words before them. Empty if
// it finds them all when it is loaded.
std::span<const std::byte> addresses_of_functions(const dl_phdr_info& object) {
  constexpr std::size_t kWords = 3 * sizeof(void*);
  std::uintptr_t table = 0;
  std::size_t count = 0;
  for (const ElfW(Phdr) & header : headers_of(object)) {
    if (header.p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + header.p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_PLTGOT) table = entry->d_un.d_ptr;
      if (entry->d_tag == DT_PLTRELSZ) count = entry->d_un.d_val / sizeof(ElfW(Rela));
    }
  }
  return {reinterpret_cast<const std::byte*>(table + kWords), count * sizeof(void*)};
}

bool overlap(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.data() < b.data() + b.size() && b.data() < a.data() + a.size();
}

struct Seen {
  int with_functions = 0;
  int overlaps = 0;
  bool has_a_variable = false;
};

int look_at(dl_phdr_info* object, std::size_t, void* into) {
  Seen& seen = *static_cast<Seen*>(into);
  const std::span<const std::byte> functions = addresses_of_functions(*object);
  if (!functions.empty()) ++seen.with_functions;
  for (const std::span<const std::byte> variables : variables_of(*object)) {
    if (!functions.empty() && overlap(variables, functions)) ++seen.overlaps;
    if (overlap(variables, std::as_bytes(std::span(&a_variable, 1)))) seen.has_a_variable = true;
  }
  return 0;
}

// The loader would look for each function again after its address has been put back.
TEST(VariablesTest, AddressesOfFunctionsAreNone) {
  Seen seen;
  ::dl_iterate_phdr(&look_at, &seen);
  EXPECT_GT(seen.with_functions, 0);
  EXPECT_EQ(seen.overlaps, 0);
  EXPECT_TRUE(seen.has_a_variable);
}

TEST(LoadedObjectsTest, AreFoundByAPartOfTheirName) {
  const std::optional<dl_phdr_info> libc = find_object("/libc.so");
  ASSERT_TRUE(libc);
  const std::span<const std::byte> code = code_of(*libc);
  const auto* const inside = static_cast<const std::byte*>(::dlsym(RTLD_NEXT, "qsort"));
  EXPECT_TRUE(overlap(code, {inside, 1}));
  EXPECT_FALSE(overlap(code, std::as_bytes(std::span(&a_variable, 1))));
  EXPECT_FALSE(find_object("/no such library"));
}

}  // namespace
}  // namespace lockstep::intercept
