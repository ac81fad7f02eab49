#pragma once

#include <cstddef>
#include <span>

#include "lockstep/fakezk/chooser.h"
#include "lockstep/fakezk/world.h"

namespace lockstep::fakezk {

// The faults that can strike in the next step. Listed ones stay listed: looking at the faults is no
// part of the step.
class FaultMenu final : public PossibleFaults {
 public:
  explicit FaultMenu(World& world) : world_(world) {}
  [[nodiscard]] std::span<const Event> list() const override;
  [[nodiscard]] std::span<const Event> list_up_to(FaultKind kind) const override;
  [[nodiscard]] FaultKinds among(FaultKinds kinds) const override;
  // How the list begins, so far that there is one of that index; or all of it.
  [[nodiscard]] std::span<const Event> list_with(std::uint32_t index) const;

 private:
  // At least so many kinds.
  std::span<const Event> kinds_listed(std::size_t kinds) const;

  World& world_;
  mutable std::size_t listed_ = 0;
};

}  // namespace lockstep::fakezk
