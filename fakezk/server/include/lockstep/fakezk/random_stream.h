#pragma once

#include <cstdint>

#include "lockstep/random.h"

namespace lockstep::fakezk {

// Mixes 64 bits (the finalizer of SplitMix64): every input bit reaches every output bit.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014): the same
// numbers on every machine, one addition per draw.
class RandomStream final : public Random {
 public:
  explicit RandomStream(std::uint64_t seed = 0) : state_(seed) {}
  void reseed(std::uint64_t seed) { state_ = seed; }
  // The seed of what is still to come.
  [[nodiscard]] std::uint64_t position() const { return state_; }

  std::uint64_t next() override {
    state_ += 0x9e3779b97f4a7c15u;
    return mix(state_);
  }
  // A number below `bound`, at least 1 (Lemire's multiplication; the bias is below 2^-32).
  std::uint32_t below(std::uint32_t bound) {
    const std::uint64_t high = next() >> 32;
    return static_cast<std::uint32_t>((high * bound) >> 32);
  }

 private:
  std::uint64_t state_;
};

}  // namespace lockstep::fakezk
