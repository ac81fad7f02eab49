#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "lockstep/random.h"

namespace lockstep::zookeeper {

// Random bits from the operating system (getrandom(2)), so that GUIDs differ between processes.
// Draws 128 bytes at a time to save system calls; getrandom() always returns that many.
class OsRandom final : public Random {
 public:
  std::uint64_t next() override;

 private:
  std::array<std::uint64_t, 16> words_ = {};
  std::size_t used_ = words_.size();
};

}  // namespace lockstep::zookeeper
