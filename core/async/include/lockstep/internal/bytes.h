#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "lockstep/internal/language.h"

namespace lockstep::internal {

// Eight bytes of a text as one number, for hashes: the first one is the lowest, whatever the
// machine.
[[nodiscard]] inline std::uint64_t eight_bytes(const char* text) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, text, sizeof word);
  return std::endian::native == std::endian::little ? word : std::byteswap(word);
}

}  // namespace lockstep::internal
