#include "differential/difference.h"

#include <algorithm>

namespace lockstep::differential {

namespace {

// Longer lanes without a difference are left out.
constexpr std::size_t kLongLane = 11;
const std::string kNothing = "(nothing)";

const Lane& lane_of(const Log& log, std::size_t lane) {
  static const Lane none;
  return lane < log.size() ? log[lane] : none;
}

const std::string& line_of(const Lane& lane, std::size_t line) {
  return line < lane.lines.size() ? lane.lines[line] : kNothing;
}

std::size_t lines_of(const Log& a, const Log& b, std::size_t lane) {
  return std::max(lane_of(a, lane).lines.size(), lane_of(b, lane).lines.size());
}

std::string padded(std::string name, std::size_t width) {
  name.resize(std::max(width, name.size()), ' ');
  return name;
}

}  // namespace

std::optional<Difference> first_difference(const Log& a, const Log& b) {
  for (std::size_t lane = 0; lane < std::max(a.size(), b.size()); ++lane) {
    for (std::size_t line = 0; line < lines_of(a, b, lane); ++line) {
      if (line_of(lane_of(a, lane), line) == line_of(lane_of(b, lane), line)) continue;
      return Difference{lane, line};
    }
  }
  return std::nullopt;
}

std::string side_by_side(const Log& a, const std::string& name_a, const Log& b,
                         const std::string& name_b) {
  const std::optional<Difference> first = first_difference(a, b);
  const std::size_t width = std::max(name_a.size(), name_b.size());
  std::string text;
  for (std::size_t lane = 0; lane < std::max(a.size(), b.size()); ++lane) {
    text += (lane < a.size() ? a[lane] : b[lane]).title + ":\n";
    if (lane_of(a, lane) == lane_of(b, lane) && lane_of(a, lane).lines.size() > kLongLane) {
      text += "      the same on both sides\n";
      continue;
    }
    for (std::size_t line = 0; line < lines_of(a, b, lane); ++line) {
      const std::string& left = line_of(lane_of(a, lane), line);
      const std::string& right = line_of(lane_of(b, lane), line);
      if (left == right) {
        text += "      " + left + "\n";
        continue;
      }
      const bool is_first = first && first->lane == lane && first->line == line;
      text += (is_first ? "  >>> " : "    ! ") + padded(name_a, width) + " | " + left + "\n";
      text += (is_first ? "  >>> " : "    ! ") + padded(name_b, width) + " | " + right + "\n";
    }
  }
  return text;
}

}  // namespace lockstep::differential
