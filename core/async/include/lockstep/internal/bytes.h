#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace lockstep::internal {

// Eight bytes of a text at once, as a number: the first one is the lowest, whatever the machine.
// What looks at long texts looks at them in such words.
[[nodiscard]] inline std::uint64_t eight_bytes(const char* text) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, text, sizeof word);
  return std::endian::native == std::endian::little ? word : std::byteswap(word);
}
// Four bytes, only to be compared with others: in whatever order the machine has.
[[nodiscard]] inline std::uint32_t four_bytes(const char* text) noexcept {
  std::uint32_t word = 0;
  std::memcpy(&word, text, sizeof word);
  return word;
}
inline void store_eight_bytes(char* text, std::uint64_t word) noexcept {
  if (std::endian::native != std::endian::little) word = std::byteswap(word);
  std::memcpy(text, &word, sizeof word);
}

// A word of eight times that byte.
[[nodiscard]] constexpr std::uint64_t eight_times(unsigned char byte) noexcept {
  return std::uint64_t{0x0101010101010101} * byte;
}

}  // namespace lockstep::internal
