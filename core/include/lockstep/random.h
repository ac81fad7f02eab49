#pragma once

#include <cstdint>
#include <string>

namespace lockstep {

// A source of random bits: seeded in a simulation, from the operating system in production.
// One stream per client, used on its executor only.
class Random {
 public:
  Random() = default;
  Random(const Random&) = delete;
  Random& operator=(const Random&) = delete;
  virtual ~Random() = default;
  virtual std::uint64_t next() = 0;
};

// A random (version 4) UUID in its usual 36 characters, as Curator puts it into names. Two draws.
[[nodiscard]] std::string new_guid(Random& random);

}  // namespace lockstep
