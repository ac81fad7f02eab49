#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lockstep/fakezk/trace.h"
#include "lockstep/fakezk/world.h"

namespace lockstep::search {

// Hashes the messages that each process receives. They decide what the process does, and stand for
// its memory, which cannot be seen.
class Received final : public fakezk::Tracer {
 public:
  explicit Received(fakezk::World& world) : world_(world) {}

  // One hash for each process. restore() returns to those of an earlier point.
  [[nodiscard]] const std::vector<std::uint64_t>& hashes() const { return hashes_; }
  void restore(const std::vector<std::uint64_t>& hashes) { hashes_ = hashes; }
  // Returns a hash of everything that can be seen of the world, and of everything that each process
  // has received.
  [[nodiscard]] std::uint64_t state() const;

  void step(const fakezk::Step& step) override;
  void note(std::uint32_t, std::string_view) override {}

 private:
  fakezk::World& world_;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace lockstep::search
