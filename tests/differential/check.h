#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "differential/program.h"
#include "differential/rig.h"
#include "differential/runner.h"

namespace lockstep::differential {

// Two sides, and what is done to the first one's requests.
class Sides {
 public:
  Sides(Rig& left_rig, Rig& right_rig, Distortion left_distortion = {})
      : left(left_rig), right(right_rig), distortion(std::move(left_distortion)) {}

  // Runs a program on both. What differs, to be read by people; empty if nothing does.
  [[nodiscard]] std::string compare(const Program& program) const;

  Rig& left;
  Rig& right;
  Distortion distortion;

 private:
  [[nodiscard]] std::string compare_once(const Program& program) const;
};

// A program on which the sides differ, and how.
struct Finding {
  Program program;
  std::string report;
};

// Draws the program of that seed and runs it. If the sides differ, looks for the smallest program
// on which they do.
[[nodiscard]] std::optional<Finding> check_one(const Sides& sides, std::uint64_t seed);

// The seed of the program behind the one with this seed.
[[nodiscard]] std::uint64_t seed_after(std::uint64_t seed);

}  // namespace lockstep::differential
