#pragma once

#include <cstddef>
#include <string>
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
  // The library's code, [begin, end); null if there is none.
  [[nodiscard]] const std::byte* code_begin() const { return code_begin_; }
  [[nodiscard]] const std::byte* code_end() const { return code_end_; }

 private:
  struct Piece {
    std::byte* at;
    std::vector<std::byte> contents;
  };

  std::vector<Piece> pieces_;
  const std::byte* code_begin_ = nullptr;
  const std::byte* code_end_ = nullptr;
};

}  // namespace lockstep::threads
