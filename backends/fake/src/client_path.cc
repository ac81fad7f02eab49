#include "client_path.h"

#include <cstdint>
#include <cstring>

namespace lockstep::fake {

namespace {

// True if a byte of `word` lies in 0x00 to 0x1e: the usual borrow trick, eight bytes at a time.
// Bytes from 0x80 on pass, as they do in the C client, where char is signed.
constexpr bool has_control(std::uint64_t word) {
  constexpr std::uint64_t kOnes = 0x0101010101010101u;
  return ((word - kOnes * 0x1f) & ~word & (kOnes * 0x80)) != 0;
}

bool has_control(std::string_view path) {
  std::size_t at = 0;
  for (; at + 8 <= path.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, path.data() + at, 8);
    if (has_control(word)) return true;
  }
  for (; at < path.size(); ++at) {
    if (static_cast<unsigned char>(path[at]) < 0x1f) return true;
  }
  return false;
}

bool component_accepted(std::string_view component) {
  return !component.empty() && component != "." && component != "..";
}

}  // namespace

bool client_accepts(std::string_view path, bool sequential) {
  if (path.empty() || path.front() != '/' || has_control(path)) return false;
  if (path.size() == 1) return true;
  for (std::size_t start = 1;;) {
    const std::size_t slash = path.find('/', start);
    if (slash == std::string_view::npos) {
      return sequential || component_accepted(path.substr(start));
    }
    if (!component_accepted(path.substr(start, slash - start))) return false;
    start = slash + 1;
  }
}

}  // namespace lockstep::fake
