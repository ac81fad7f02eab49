#include "client_path.h"

#include <algorithm>
#include <string_view>

namespace lockstep::zookeeper {

namespace {

// The control characters that the C client refuses: it reads bytes as signed, and lets 0x1f pass.
bool is_refused(char byte) { return byte >= 0x00 && byte < 0x1f; }

bool is_dots(std::string_view name) { return name == "." || name == ".."; }

}  // namespace

// Mirrors isValidPath() in zookeeper.c. The number of a sequential znode is still to come, so its
// last name may be anything.
bool client_takes(const Path& path, CreateMode mode) {
  std::string_view rest = path.view();
  if (rest.empty() || rest.front() != '/') return false;
  if (std::ranges::any_of(rest, is_refused)) return false;
  rest.remove_prefix(1);
  if (rest.empty()) return true;
  for (std::size_t slash = rest.find('/'); slash != std::string_view::npos;
       slash = rest.find('/')) {
    const std::string_view name = rest.substr(0, slash);
    if (name.empty() || is_dots(name)) return false;
    rest.remove_prefix(slash + 1);
  }
  return is_sequential(mode) || (!rest.empty() && !is_dots(rest));
}

}  // namespace lockstep::zookeeper
