#include "lockstep/intercept/objects.h"

#include <algorithm>
#include <cstdint>

namespace lockstep::intercept {

namespace {

std::byte* at(std::uintptr_t address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader's addresses are numbers.
  return reinterpret_cast<std::byte*>(address);
}

std::span<const ElfW(Phdr)> headers_of(const dl_phdr_info& object) {
  return {object.dlpi_phdr, object.dlpi_phnum};
}

// The table of addresses of functions that are bound at their first call (DT_PLTGOT).
std::span<std::byte> bindings_of(const dl_phdr_info& object) {
  std::uintptr_t table = 0;
  std::size_t relocations = 0;
  for (const ElfW(Phdr) & header : headers_of(object)) {
    if (header.p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(at(object.dlpi_addr + header.p_vaddr));
    for (; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_PLTGOT) table = entry->d_un.d_ptr;
      if (entry->d_tag == DT_PLTRELSZ) relocations = entry->d_un.d_val / sizeof(ElfW(Rela));
    }
  }
  constexpr std::size_t kReserved = 3;  // Entries for the loader itself.
  if (table == 0) return {};
  return {at(table), (kReserved + relocations) * sizeof(void*)};
}

std::byte* read_only_end(const dl_phdr_info& object) {
  constexpr std::uintptr_t kPage = 4096;
  std::uintptr_t end = 0;
  for (const ElfW(Phdr) & header : headers_of(object)) {
    if (header.p_type != PT_GNU_RELRO) continue;
    end = (object.dlpi_addr + header.p_vaddr + header.p_memsz) / kPage * kPage;
  }
  return at(end);
}

struct ObjectQuery {
  std::string_view part;
  std::optional<dl_phdr_info> found{};
};

int look(dl_phdr_info* object, std::size_t, void* data) {
  auto& query = *static_cast<ObjectQuery*>(data);
  if (std::string_view(object->dlpi_name).find(query.part) == std::string_view::npos) return 0;
  query.found = *object;
  return 1;
}

}  // namespace

std::optional<dl_phdr_info> find_object(std::string_view part) {
  ObjectQuery query{part};
  ::dl_iterate_phdr(&look, &query);
  return query.found;
}

std::span<const std::byte> code_of(const dl_phdr_info& object) {
  for (const ElfW(Phdr) & header : headers_of(object)) {
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
    return {at(object.dlpi_addr + header.p_vaddr), header.p_memsz};
  }
  return {};
}

std::vector<std::span<std::byte>> variables_of(const dl_phdr_info& object) {
  std::vector<std::span<std::byte>> variables;
  const auto add = [&](std::byte* begin, std::byte* end) {
    if (begin < end) variables.emplace_back(begin, end);
  };
  const std::span<std::byte> bindings = bindings_of(object);
  for (const ElfW(Phdr) & header : headers_of(object)) {
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0) continue;
    std::byte* const begin = at(object.dlpi_addr + header.p_vaddr);
    std::byte* const end = begin + header.p_memsz;
    std::byte* const first = std::max(begin, read_only_end(object));
    // The read-only part may end behind the reserved entries of the table, and before the others.
    std::byte* const bound = std::max(first, bindings.data());
    std::byte* const bound_end = bindings.data() + bindings.size();
    const bool has_bindings = bound < bound_end && bound_end <= end;
    add(first, has_bindings ? bound : end);
    if (has_bindings) add(bound_end, end);
  }
  return variables;
}

}  // namespace lockstep::intercept
