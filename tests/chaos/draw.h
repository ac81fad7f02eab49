#pragma once

#include <chrono>
#include <cstdint>

namespace lockstep::chaos {

// Random draws that depend only on the seed (SplitMix64).
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}

  [[nodiscard]] std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31U);
  }
  // From 0 to `end` - 1.
  [[nodiscard]] std::uint64_t below(std::uint64_t end) { return next() % end; }
  [[nodiscard]] bool one_in(std::uint64_t count) { return below(count) == 0; }
  [[nodiscard]] std::chrono::milliseconds between(std::chrono::milliseconds least,
                                                  std::chrono::milliseconds most) {
    const auto range = static_cast<std::uint64_t>((most - least).count()) + 1;
    return least + std::chrono::milliseconds(below(range));
  }

 private:
  std::uint64_t state_;
};

}  // namespace lockstep::chaos
