#pragma once

#include <cstdint>
#include <span>

#include "lockstep/fakezk/chooser.h"

// Parts of the menus that strategies choose from.
namespace lockstep::fakezk {

inline Event event(Event::Kind kind, std::uint32_t index) {
  return Event{kind, FaultKind::kCut, index};
}

class NoFaults final : public PossibleFaults {
 public:
  [[nodiscard]] std::span<const Event> list() const override { return {}; }
};

}  // namespace lockstep::fakezk
