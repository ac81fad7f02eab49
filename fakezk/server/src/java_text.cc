#include "java_text.h"

namespace lockstep::fakezk {

std::uint32_t next_character(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t first = byte(at++);
  if (first < 0x80) return first;
  std::size_t more = 0;
  std::uint32_t value = 0;
  if (first >= 0xc2 && first < 0xe0) {
    more = 1;
    value = first & 0x1f;
  } else if (first >= 0xe0 && first < 0xf0) {
    more = 2;
    value = first & 0x0f;
  } else if (first >= 0xf0 && first < 0xf5) {
    more = 3;
    value = first & 0x07;
  } else {
    return 0xfffd;
  }
  for (; more > 0; --more) {
    if (at >= text.size() || (byte(at) & 0xc0) != 0x80) return 0xfffd;
    value = value << 6 | (byte(at++) & 0x3f);
  }
  return value;
}

std::string as_java_keeps_it(std::string_view text) {
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  std::string kept;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    const bool malformed = next_character(text, at) == 0xfffd;
    kept += malformed ? kReplacement : text.substr(start, at - start);
  }
  return kept;
}

}  // namespace lockstep::fakezk
