#include "library_state.h"

#include <algorithm>
#include <string>

#include "lockstep/intercept/variables.h"

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

const std::byte* at(std::uintptr_t address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader's addresses are numbers.
  return reinterpret_cast<const std::byte*>(address);
}

}  // namespace

LibraryState::LibraryState(std::string_view file_name) {
  Search search{file_name};
  if (::dl_iterate_phdr(&look, &search) == 0) return;
  const dl_phdr_info& object = search.found;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = object.dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
    code_begin_ = at(object.dlpi_addr + header.p_vaddr);
    code_end_ = code_begin_ + header.p_memsz;
  }
  for (const std::span<std::byte> variables : intercept::variables_of(object)) {
    pieces_.push_back({variables.data(), {variables.begin(), variables.end()}});
  }
}

void LibraryState::restore() const {
  for (const Piece& piece : pieces_) std::ranges::copy(piece.contents, piece.at);
}

}  // namespace lockstep::threads
