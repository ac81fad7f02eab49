#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "differential/program.h"
#include "differential/rig.h"
#include "differential/runner.h"

namespace lockstep::differential {

// Two sides to compare; `distortion` may alter the first one's requests.
class Sides {
 public:
  Sides(Rig& left_rig, Rig& right_rig, Distortion left_distortion = {})
      : left(left_rig), right(right_rig), distortion(std::move(left_distortion)) {}

  // Runs a program on both sides. Returns a report of the differences; empty if there are none.
  [[nodiscard]] std::string compare(const Program& program) const;

  Rig& left;
  Rig& right;
  Distortion distortion;

 private:
  [[nodiscard]] std::string compare_once(const Program& program) const;
};

// A program on which the sides differ, and a report of the difference.
struct Finding {
  Program program;
  std::string report;
};

// Draws the program with this seed and runs it. If the sides differ, shrinks it to the smallest
// program on which they still do.
[[nodiscard]] std::optional<Finding> check_one(const Sides& sides, std::uint64_t seed);

// The seed of the next program after the one with this seed.
[[nodiscard]] std::uint64_t seed_after(std::uint64_t seed);

}  // namespace lockstep::differential
