#pragma once

#include <cstddef>
#include <span>

#include "lockstep/fakezk/chooser.h"
#include "lockstep/fakezk/world.h"

namespace lockstep::fakezk {

// The faults that can strike in the next step. They are listed on demand and cached, hence the
// `mutable`: looking at the faults is not part of the step.
class FaultMenu final : public PossibleFaults {
 public:
  explicit FaultMenu(World& world) : world_(world) {}
  [[nodiscard]] std::span<const Event> list() const override;
  [[nodiscard]] std::span<const Event> list_up_to(FaultKind kind) const override;
  [[nodiscard]] FaultKinds among(FaultKinds kinds) const override;
  // The beginning of the list, up to `index` at least, or the whole list if it is shorter.
  [[nodiscard]] std::span<const Event> list_with(std::uint32_t index) const;

 private:
  // Lists at least this many kinds.
  std::span<const Event> kinds_listed(std::size_t kinds) const;

  World& world_;
  mutable std::size_t listed_ = 0;
};

}  // namespace lockstep::fakezk
