#include "client_path.h"

namespace lockstep::fake {

namespace {

bool component_accepted(std::string_view component, bool open_ended) {
  if (open_ended) return true;
  return !component.empty() && component != "." && component != "..";
}

}  // namespace

bool client_accepts(std::string_view path, bool sequential) {
  if (path.empty() || path.front() != '/') return false;
  for (const char byte : path) {
    if (byte >= 0 && byte < 0x1f) return false;
  }
  if (path.size() == 1) return true;
  for (std::size_t at = 1;;) {
    const std::size_t slash = path.find('/', at);
    const bool last = slash == std::string_view::npos;
    if (!component_accepted(path.substr(at, slash - at), last && sequential)) return false;
    if (last) return true;
    at = slash + 1;
  }
}

}  // namespace lockstep::fake
