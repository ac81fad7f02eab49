#include "lockstep/random.h"

#include <bit>
#include <cstring>

#include "lockstep/internal/bytes.h"

namespace lockstep {

namespace {

// The eight hexadecimal digits of `number`, as a word of text: the first one in its lowest byte.
std::uint64_t hexadecimal(std::uint32_t number) {
  std::uint64_t digits = std::byteswap(number);  // Two digits in each byte, the first one above.
  digits = (digits | digits << 16) & 0x0000ffff0000ffff;
  digits = (digits | digits << 8) & 0x00ff00ff00ff00ff;
  digits = (digits >> 4 | digits << 8) & internal::eight_times(0x0f);
  // A digit above nine makes the sixteens of its byte one more: a letter.
  const std::uint64_t letters = (digits + internal::eight_times(6)) >> 4 & internal::eight_times(1);
  return digits + internal::eight_times('0') + letters * ('a' - '9' - 1);
}

}  // namespace

Guid::Guid(Random& random) {
  std::uint64_t high = random.next();
  std::uint64_t low = random.next();
  high = (high & 0xffffffffffff0fffu) | 0x0000000000004000u;  // version 4
  low = (low & 0x3fffffffffffffffu) | 0x8000000000000000u;    // variant 1

  char* const text = text_.data();
  char digits[8];
  internal::store_eight_bytes(text, hexadecimal(static_cast<std::uint32_t>(high >> 32)));
  text[8] = '-';
  internal::store_eight_bytes(digits, hexadecimal(static_cast<std::uint32_t>(high)));
  std::memcpy(text + 9, digits, 4);
  text[13] = '-';
  std::memcpy(text + 14, digits + 4, 4);
  text[18] = '-';
  internal::store_eight_bytes(digits, hexadecimal(static_cast<std::uint32_t>(low >> 32)));
  std::memcpy(text + 19, digits, 4);
  text[23] = '-';
  std::memcpy(text + 24, digits + 4, 4);
  internal::store_eight_bytes(text + 28, hexadecimal(static_cast<std::uint32_t>(low)));
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
