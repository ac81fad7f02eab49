#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace lockstep::threads {

// The variables of a shared library, restored before each execution: its counters, and what it has
// initialised once.
class LibraryState {
 public:
  // Saves the variables as they are now. Empty if no loaded library has that part in its file name.
  explicit LibraryState(std::string_view file_name);

  void restore() const;
  // Empty if there is no such library.
  [[nodiscard]] std::span<const std::byte> code() const { return code_; }

 private:
  struct Piece {
    std::byte* at;
    std::vector<std::byte> contents;
  };

  std::vector<Piece> pieces_;
  std::span<const std::byte> code_;
};

}  // namespace lockstep::threads
