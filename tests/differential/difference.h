#pragma once

#include <optional>
#include <string>

#include "differential/transcript.h"

namespace lockstep::differential {

// The first difference of two logs: the lane, and the line in it.
struct Difference {
  std::size_t lane;
  std::size_t line;
};

[[nodiscard]] std::optional<Difference> first_difference(const Log& a, const Log& b);

// Both logs together, lane by lane. A line in both logs appears once, differing lines one above the
// other; the first difference is marked with ">>>".
[[nodiscard]] std::string side_by_side(const Log& a, const std::string& name_a, const Log& b,
                                       const std::string& name_b);

}  // namespace lockstep::differential
