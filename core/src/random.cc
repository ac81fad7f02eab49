#include "lockstep/random.h"

namespace lockstep {

std::string new_guid(Random& random) {
  std::uint64_t high = random.next();
  std::uint64_t low = random.next();
  high = (high & 0xffffffffffff0fffu) | 0x0000000000004000u;  // version 4
  low = (low & 0x3fffffffffffffffu) | 0x8000000000000000u;    // variant 1

  static constexpr char kHex[] = "0123456789abcdef";
  std::string guid;
  guid.reserve(36);
  for (int nibble = 0; nibble < 32; ++nibble) {
    if (nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20) guid.push_back('-');
    const std::uint64_t half = nibble < 16 ? high : low;
    guid.push_back(kHex[(half >> (60 - 4 * (nibble % 16))) & 0xf]);
  }
  return guid;
}

}  // namespace lockstep
