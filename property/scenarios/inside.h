#pragma once

#include "lockstep/lab/inside.h"

namespace lockstep::scenarios {

using lab::Inside;

// Whether this holder stays inside for a while. The first client does once a fault has struck:
// before that no grant can be lost, and only S1 can be judged.
[[nodiscard]] inline bool lingers(const lab::Contender& self) {
  const fakezk::World& world = self.client().process().world();
  if (self.client().process().index() != 0) return false;
  // The program's further behaviour depends on the faults that have struck.
  if (fakezk::FootprintRecorder* const recorder = world.recorder()) {
    recorder->reads(fakezk::ObjectKind::kFaults);
  }
  return world.kinds_injected() != 0;
}

}  // namespace lockstep::scenarios
