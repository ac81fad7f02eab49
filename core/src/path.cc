#include "lockstep/path.h"

namespace lockstep {

std::string_view Path::name() const noexcept {
  const std::string_view path = view();
  return path.substr(path.rfind('/') + 1);
}

Path Path::parent() const {
  const std::string_view path = view();
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos || slash == 0) return Path();
  return Path(path.substr(0, slash));
}

Path operator/(const Path& parent, std::string_view name) {
  if (parent.view() == "/") return Path(Text("/", name));
  std::string tail;
  tail.reserve(name.size() + 1);
  tail.push_back('/');
  tail.append(name);
  return Path(Text(parent.view(), tail));
}

}  // namespace lockstep
