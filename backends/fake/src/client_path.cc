#include "client_path.h"

namespace lockstep::fake {

bool client_accepts(std::string_view path, bool sequential) {
  if (path.empty() || path.front() != '/') return false;
  if (path.size() == 1) return true;
  std::size_t start = 1;  // Of the component under the cursor.
  const auto acceptable = [&](std::size_t end) {
    const std::string_view component = path.substr(start, end - start);
    return !component.empty() && component != "." && component != "..";
  };
  for (std::size_t at = 1; at < path.size(); ++at) {
    const auto byte = static_cast<signed char>(path[at]);
    if (byte >= 0 && byte < 0x1f) return false;
    if (byte != '/') continue;
    if (!acceptable(at)) return false;
    start = at + 1;
  }
  return sequential || acceptable(path.size());
}

}  // namespace lockstep::fake
