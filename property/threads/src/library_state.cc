#include "library_state.h"

#include <algorithm>
#include <optional>

#include "lockstep/intercept/objects.h"

namespace lockstep::threads {

LibraryState::LibraryState(std::string_view file_name) {
  const std::optional<dl_phdr_info> object = intercept::find_object(file_name);
  if (!object) return;
  code_ = intercept::code_of(*object);
  for (const std::span<std::byte> variables : intercept::variables_of(*object)) {
    pieces_.push_back({variables.data(), {variables.begin(), variables.end()}});
  }
}

void LibraryState::restore() const {
  for (const Piece& piece : pieces_) std::ranges::copy(piece.contents, piece.at);
}

}  // namespace lockstep::threads
