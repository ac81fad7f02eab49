// This program and the library use one pool of blocks. The library is not compiled with the address
// sanitizer, and this program is.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/context.h"
#include "lockstep/data.h"

int main() {
  // Blocks of one size, which this program takes and gives back.
  std::vector<lockstep::Context> contexts;
  for (int i = 0; i < 100; ++i) contexts.emplace_back(lockstep::TimePoint(lockstep::Duration(i)));
  contexts.clear();
  // Blocks of all sizes, which the library takes.
  std::vector<lockstep::Data> texts;
  for (std::size_t length = 1; length < 4096; ++length) {
    texts.emplace_back(std::string(length, 'x'));
  }
  const auto is_whole = [](const lockstep::Data& text) {
    return text.view().find_first_not_of('x') == std::string_view::npos;
  };
  return std::ranges::all_of(texts, is_whole) ? 0 : 1;
}
