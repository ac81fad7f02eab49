#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lockstep/internal/language.h"

namespace lockstep {

// A source of random bits: seeded in a simulation, from the operating system in production. One
// stream per client, used on its executor only.
class Random {
 public:
  Random() = default;
  Random(const Random&) = delete;
  Random& operator=(const Random&) = delete;
  virtual ~Random() = default;
  virtual std::uint64_t next() = 0;  // 64 random bits.
};

// A random (version 4) UUID in its usual 36 characters, as Curator uses it in names.
class Guid {
 public:
  // Draws twice.
  explicit Guid(Random& random);
  [[nodiscard]] std::string_view view() const { return {text_.data(), text_.size()}; }

  static constexpr std::size_t kLength = 36;
  // Whether `text` has the form of a GUID.
  [[nodiscard]] static bool recognized(std::string_view text);

 private:
  std::array<char, kLength> text_;
};

}  // namespace lockstep
