#include "library_state.h"

#include <link.h>

#include <algorithm>
#include <cstdint>

namespace lockstep::threads {

namespace {

struct Search {
  std::string_view file_name;
  dl_phdr_info found{};
};

int look(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (std::string_view(object->dlpi_name).find(search.file_name) == std::string_view::npos) {
    return 0;
  }
  search.found = *object;
  return 1;
}

std::byte* at(std::uintptr_t address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader's addresses are numbers.
  return reinterpret_cast<std::byte*>(address);
}

}  // namespace

namespace {

// Where the loader keeps the addresses of functions that it finds at their first call: they stay.
struct Bindings {
  std::byte* begin = nullptr;
  std::byte* end = nullptr;
};

Bindings bindings_of(const dl_phdr_info& object) {
  std::uintptr_t table = 0;
  std::size_t relocations = 0;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    if (object.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entry =
        reinterpret_cast<const ElfW(Dyn)*>(at(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr));
    for (; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_PLTGOT) table = entry->d_un.d_ptr;
      if (entry->d_tag == DT_PLTRELSZ) relocations = entry->d_un.d_val / sizeof(ElfW(Rela));
    }
  }
  constexpr std::size_t kReserved = 3;  // The loader's own.
  return {at(table), at(table + (kReserved + relocations) * sizeof(void*))};
}

}  // namespace

// Memory that the loader has made read-only after relocation stays as it is.
LibraryState::LibraryState(std::string_view file_name) {
  Search search{file_name};
  if (::dl_iterate_phdr(&look, &search) == 0) return;
  const dl_phdr_info& object = search.found;
  std::uintptr_t relro_end = 0;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = object.dlpi_phdr[i];
    if (header.p_type != PT_GNU_RELRO) continue;
    constexpr std::uintptr_t kPage = 4096;
    relro_end = (object.dlpi_addr + header.p_vaddr + header.p_memsz) / kPage * kPage;
  }
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = object.dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = object.dlpi_addr + header.p_vaddr;
    const std::uintptr_t end = begin + header.p_memsz;
    if ((header.p_flags & PF_X) != 0) {
      code_begin_ = at(begin);
      code_end_ = at(end);
    }
    if ((header.p_flags & PF_W) == 0) continue;
    std::byte* const first = at(std::max(begin, relro_end));
    const Bindings bindings = bindings_of(object);
    const bool holds_them = bindings.begin >= first && bindings.end <= at(end);
    keep(first, holds_them ? bindings.begin : at(end));
    if (holds_them) keep(bindings.end, at(end));
  }
}

void LibraryState::keep(std::byte* begin, std::byte* end) {
  pieces_.push_back({begin, std::vector<std::byte>(begin, end)});
}

void LibraryState::restore() const {
  for (const Piece& piece : pieces_) std::ranges::copy(piece.contents, piece.at);
}

}  // namespace lockstep::threads
