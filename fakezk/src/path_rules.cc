#include "path_rules.h"

#include <cstdint>

namespace lockstep::fakezk {

namespace {

// The next UTF-8 character of `text`, or 0xfffd for malformed bytes (as Java decodes them).
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

bool forbidden(std::uint32_t character) {
  return character <= 0x1f || (character >= 0x7f && character <= 0x9f) ||
         (character >= 0xd800 && character <= 0xf8ff) || character >= 0xfff0;
}

// Most paths are printable ASCII, in which only the components can be wrong.
bool printable_ascii(std::string_view path) {
  for (const char byte : path) {
    if (static_cast<signed char>(byte) < 0x20 || byte == 0x7f)
      return false;  // Also every byte of a longer character.
  }
  return true;
}

bool component_accepted(std::string_view component) {
  return !component.empty() && component != "." && component != "..";
}

}  // namespace

bool server_accepts(std::string_view path) {
  if (path.empty() || path.front() != '/') return false;
  if (path == "/") return true;
  for (std::size_t at = 1; at <= path.size();) {
    const std::size_t slash = path.find('/', at);
    if (!component_accepted(path.substr(at, slash - at))) return false;
    if (slash == std::string_view::npos) break;
    at = slash + 1;
  }
  if (printable_ascii(path)) return true;
  for (std::size_t at = 0; at < path.size();) {
    if (forbidden(next_character(path, at))) return false;
  }
  return true;
}

bool server_can_remove(std::string_view path) {
  return path.find('/') != std::string_view::npos && path.find('\0') == std::string_view::npos &&
         path != "/" && path != "/zookeeper" && path != "/zookeeper/quota" &&
         path != "/zookeeper/config";
}

}  // namespace lockstep::fakezk
