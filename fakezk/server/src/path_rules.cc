#include "lockstep/internal/path_rules.h"

#include <cstdint>

#include "java_text.h"

namespace lockstep::fakezk {

namespace {

bool forbidden(std::uint32_t character) {
  return character <= 0x1f || (character >= 0x7f && character <= 0x9f) ||
         (character >= 0xd800 && character <= 0xf8ff) || character >= 0xfff0;
}

// Most paths are printable ASCII, so that only their components can be wrong.
bool printable_ascii(std::string_view path) {
  for (const char byte : path) {
    if (static_cast<signed char>(byte) < 0x20 || byte == 0x7f)
      return false;  // A byte of a multi-byte character, too.
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
