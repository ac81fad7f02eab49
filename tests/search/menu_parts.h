#pragma once

#include <cstdint>
#include <span>

#include "lockstep/fakezk/chooser.h"

// What the menus of strategies consist of.
namespace lockstep::fakezk {

inline Event event(Event::Kind kind, std::uint32_t index) {
  return Event{kind, FaultKind::kCut, index};
}

class NoFaults final : public PossibleFaults {
 public:
  [[nodiscard]] std::span<const Event> list() const override { return {}; }
};

}  // namespace lockstep::fakezk
