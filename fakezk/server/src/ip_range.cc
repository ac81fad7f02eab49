#include "ip_range.h"

#include <charconv>
#include <cstdint>
#include <optional>

namespace lockstep::fakezk {

namespace {

// Java's Integer.parseInt: a sign is allowed.
std::optional<int> parse_int(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  int value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint32_t> parse_address(std::string_view text) {
  std::uint32_t address = 0;
  for (int part = 0; part < 4; ++part) {
    const std::size_t dot = text.find('.');
    if ((dot == std::string_view::npos) != (part == 3)) return std::nullopt;
    const std::optional<int> byte = parse_int(text.substr(0, dot));
    if (!byte || *byte < 0 || *byte > 255) return std::nullopt;
    address = address << 8 | static_cast<std::uint32_t>(*byte);
    if (dot != std::string_view::npos) text.remove_prefix(dot + 1);
  }
  return address;
}

struct Range {
  std::uint32_t address;
  int bits;
};

std::optional<Range> parse_range(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::optional<std::uint32_t> address = parse_address(text.substr(0, slash));
  if (!address) return std::nullopt;
  if (slash == std::string_view::npos) return Range{*address, 32};
  const std::optional<int> bits = parse_int(text.substr(slash + 1));
  if (!bits || *bits < 0 || *bits > 32) return std::nullopt;
  return Range{*address, *bits};
}

}  // namespace

bool is_ip_range(std::string_view text) { return parse_range(text).has_value(); }

bool ip_in_range(std::string_view address, std::string_view range) {
  const std::optional<std::uint32_t> asked = parse_address(address);
  const std::optional<Range> known = parse_range(range);
  if (!asked || !known) return false;
  const std::uint32_t mask = known->bits == 0 ? 0 : ~std::uint32_t{0} << (32 - known->bits);
  return (*asked & mask) == (known->address & mask);
}

}  // namespace lockstep::fakezk
