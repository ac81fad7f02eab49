#include "lockstep/random.h"

namespace lockstep {

Guid::Guid(Random& random) {
  std::uint64_t high = random.next();
  std::uint64_t low = random.next();
  high = (high & 0xffffffffffff0fffu) | 0x0000000000004000u;  // version 4
  low = (low & 0x3fffffffffffffffu) | 0x8000000000000000u;    // variant 1

  static constexpr char kHex[] = "0123456789abcdef";
  std::size_t at = 0;
  for (int nibble = 0; nibble < 32; ++nibble) {
    if (nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20) text_[at++] = '-';
    const std::uint64_t half = nibble < 16 ? high : low;
    text_[at++] = kHex[(half >> (60 - 4 * (nibble % 16))) & 0xf];
  }
}

}  // namespace lockstep
