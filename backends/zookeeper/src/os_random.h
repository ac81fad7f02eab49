#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "lockstep/random.h"

namespace lockstep::zookeeper {

// Random bits of the operating system (getrandom(2)): GUIDs made of them differ between processes.
// It takes a few words at a time; no system call takes longer than that for so few bytes, and none
// of them fails.
class OsRandom final : public Random {
 public:
  std::uint64_t next() override;

 private:
  std::array<std::uint64_t, 16> words_ = {};
  std::size_t used_ = words_.size();
};

}  // namespace lockstep::zookeeper
