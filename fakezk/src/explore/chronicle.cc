#include "lockstep/fakezk/explore/chronicle.h"

namespace lockstep::fakezk {

namespace {

constexpr std::size_t kGuidLength = 36;

}  // namespace

std::vector<std::size_t> excerpt(const Chronicle& chronicle, std::size_t first, std::size_t last) {
  std::vector<std::size_t> shown;
  const std::size_t all = chronicle.moments.size();
  for (std::size_t i = 0; i < all; ++i) {
    // A gap of one line would take as much room as what it leaves out.
    const bool left_out = all > first + last + 1 && i >= first && i < all - last;
    if (!left_out) shown.push_back(i);
  }
  return shown;
}

std::string without_guids(std::string_view text) {
  constexpr std::string_view kPrefix = "_c_";
  std::string plain;
  while (!text.empty()) {
    const std::size_t at = text.find(kPrefix);
    plain += text.substr(0, at);
    if (at == std::string_view::npos) break;
    const std::size_t end = at + kPrefix.size() + kGuidLength;
    if (end < text.size() && text[end] == '-') {
      text.remove_prefix(end + 1);
    } else {
      plain += kPrefix;
      text.remove_prefix(at + kPrefix.size());
    }
  }
  return plain;
}

}  // namespace lockstep::fakezk
