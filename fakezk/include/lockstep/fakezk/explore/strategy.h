#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "lockstep/fakezk/chooser.h"
#include "lockstep/fakezk/random_stream.h"

namespace lockstep::fakezk {

// What a strategy knows when an execution begins. Everything it does is a function of this.
struct ExecutionStart {
  std::uint64_t seed;            // Of this execution: the hunt's seed and its index, mixed.
  std::uint32_t calm_positions;  // How often the calm execution asked the chooser.
  std::uint32_t faults;          // The most faults it may use.
};

// A way to search: a chooser that begins anew with every execution.
class Strategy : public Chooser {
 public:
  virtual void begin(const ExecutionStart& start) = 0;
};

// When an execution's faults strike: drawn before it begins, uniformly over its length, because a
// fault that is merely one more event to walk into strikes far too early most of the time.
class FaultTimes {
 public:
  void draw(RandomStream& random, const ExecutionStart& start);
  // Once per choice; true if a fault is due.
  [[nodiscard]] bool due();

 private:
  static constexpr std::uint32_t kMost = 16;
  std::array<std::uint32_t, kMost> at_{};
  std::uint32_t count_ = 0;
  std::uint32_t position_ = 0;
};

// Uniform among what is enabled (the random walk).
class RandomWalk final : public Strategy {
 public:
  void begin(const ExecutionStart& start) override;
  Choice next(const Menu& menu) override;
  std::uint32_t number(std::uint32_t options) override;

 private:
  RandomStream random_;
  FaultTimes faults_;
};

}  // namespace lockstep::fakezk
