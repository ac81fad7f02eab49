#include "lockstep/path.h"

namespace lockstep {

std::string_view Path::last_component() const noexcept {
  // Forwards: paths have few components, and names are long.
  const std::string_view path = view();
  std::size_t start = 0;
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos;) {
    start = slash + 1;
    slash = path.find('/', start);
  }
  return path.substr(start);
}

Path Path::parent() const {
  const std::string_view path = view();
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos || slash == 0) return Path();
  return Path(path.substr(0, slash));
}

Path operator/(const Path& parent, std::string_view name) {
  if (parent.view() == "/") return Path(Text("/", name));
  return Path(Text(parent.view(), "/", name));
}

}  // namespace lockstep
