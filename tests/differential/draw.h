#pragma once

#include <cstdint>
#include <span>

#include "lockstep/internal/check.h"

namespace lockstep::differential {

// Random choices that are the same on every machine (SplitMix64). One draw per statement.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
  }
  int below(int limit) {
    internal::check(limit > 0, "a draw among nothing");
    return static_cast<int>(next() % static_cast<std::uint64_t>(limit));
  }
  bool percent(int chance) { return below(100) < chance; }
  template <class Choices>
  const auto& of(const Choices& choices) {
    return choices[static_cast<std::size_t>(below(static_cast<int>(std::size(choices))))];
  }
  // Draws an index in proportion to its share of the sum.
  int weighted(std::span<const int> shares) {
    int sum = 0;
    for (const int share : shares) sum += share;
    int at = below(sum);
    int index = 0;
    while (at >= shares[static_cast<std::size_t>(index)]) {
      at -= shares[static_cast<std::size_t>(index++)];
    }
    return index;
  }

 private:
  std::uint64_t state_;
};

}  // namespace lockstep::differential
