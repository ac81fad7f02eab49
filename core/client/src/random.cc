#include "lockstep/random.h"

namespace lockstep {

namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

// Writes the last `digits` hexadecimal digits of a number and returns the position after them.
char* write_hex(char* to, std::uint64_t number, int digits) {
  for (int left = digits; left > 0; --left) *to++ = kDigits[number >> (4 * (left - 1)) & 0xf];
  return to;
}

constexpr bool is_dash_at(std::size_t place) {
  return place == 8 || place == 13 || place == 18 || place == 23;
}

}  // namespace

Guid::Guid(Random& random) {
  std::uint64_t high = random.next();
  std::uint64_t low = random.next();
  high = (high & 0xffffffffffff0fffu) | 0x0000000000004000u;  // version 4
  low = (low & 0x3fffffffffffffffu) | 0x8000000000000000u;    // variant 1

  char* to = write_hex(text_.data(), high >> 32, 8);
  *to++ = '-';
  to = write_hex(to, high >> 16, 4);
  *to++ = '-';
  to = write_hex(to, high, 4);
  *to++ = '-';
  to = write_hex(to, low >> 48, 4);
  *to++ = '-';
  write_hex(to, low, 12);
}

bool Guid::recognized(std::string_view text) {
  if (text.size() != kLength) return false;
  for (std::size_t at = 0; at < kLength; ++at) {
    const std::string_view allowed = is_dash_at(at) ? "-" : kDigits;
    if (allowed.find(text[at]) == std::string_view::npos) return false;
  }
  return true;
}

}  // namespace lockstep
