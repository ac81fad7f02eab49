#pragma once

#include <cstdint>

namespace lockstep::intercept {

// The random numbers of code under test: splitmix64 (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", 2014).
class Randomness {
 public:
  void seed(std::uint64_t seed) { state_ = seed; }
  [[nodiscard]] std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t word = state_;
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
    word = (word ^ word >> 27) * 0x94d049bb133111eb;
    return word ^ word >> 31;
  }

 private:
  std::uint64_t state_ = 0;
};

}  // namespace lockstep::intercept
