#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/fakezk/explore/chronicle.h"
#include "lockstep/fakezk/explore/guarantee.h"
#include "lockstep/fakezk/explore/hunt.h"
#include "lockstep/fakezk/explore/lanes.h"
#include "lockstep/fakezk/explore/schedule.h"
#include "lockstep/fakezk/explore/shrink.h"

namespace lockstep::fakezk {

// One execution, watched.
struct Recording {
  Outcome outcome;  // Its message is without GUIDs.
  Chronicle chronicle;
  std::string lanes;  // draw_lanes(chronicle)
  std::vector<std::uint8_t> checks;
};

// Runs the schedule `deviations` once and draws it.
Recording record(Program& program, const ExecutionLimits& limits,
                 const std::vector<Deviation>& deviations);

// A violation that was found, made small, and put in a form that can be shown and repeated.
struct Failure {
  Violation violation;
  std::uint32_t steps = 0;
  std::size_t deviations = 0;
  std::size_t original_deviations = 0;
  Chronicle chronicle;  // The shrunk execution,
  std::string lanes;    // and as text: draw_lanes(chronicle)
  std::string replay;   // ReplayString::text()
};

// Shrinks what a hunt has found and runs it once more. `name`, `clients` and `rounds` say which
// program it was.
Failure explain(Program& program, const ExecutionLimits& limits, const Found& found,
                std::string_view name, std::uint32_t clients, std::uint32_t rounds);

}  // namespace lockstep::fakezk
