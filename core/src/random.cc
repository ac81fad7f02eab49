#include "lockstep/random.h"

namespace lockstep {

Guid::Guid(Random& random) {
  std::uint64_t high = random.next();
  std::uint64_t low = random.next();
  high = (high & 0xffffffffffff0fffu) | 0x0000000000004000u;  // version 4
  low = (low & 0x3fffffffffffffffu) | 0x8000000000000000u;    // variant 1

  static constexpr char kHex[] = "0123456789abcdef";
  std::size_t at = 0;
  const auto write = [&](std::uint64_t& from, int digits) {
    for (; digits > 0; --digits, from <<= 4) text_[at++] = kHex[from >> 60];
  };
  write(high, 8);
  text_[at++] = '-';
  write(high, 4);
  text_[at++] = '-';
  write(high, 4);
  text_[at++] = '-';
  write(low, 4);
  text_[at++] = '-';
  write(low, 12);
}

bool Guid::recognized(std::string_view text) {
  if (text.size() != kLength) return false;
  for (std::size_t at = 0; at < kLength; ++at) {
    const bool dash = at == 8 || at == 13 || at == 18 || at == 23;
    const std::string_view allowed = dash ? "-" : "0123456789abcdef";
    if (allowed.find(text[at]) == std::string_view::npos) return false;
  }
  return true;
}

}  // namespace lockstep
