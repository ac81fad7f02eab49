#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/search/chronicle.h"
#include "lockstep/search/hunt.h"
#include "lockstep/search/lanes.h"
#include "lockstep/search/oracle.h"
#include "lockstep/search/schedule.h"
#include "lockstep/search/shrink_scenario.h"

namespace lockstep::search {

// One execution, recorded.
struct Recording {
  Outcome outcome;  // Its message is without GUIDs.
  Chronicle chronicle;
  std::string lanes;  // draw_lanes(chronicle)
  std::vector<std::uint8_t> checks;
};

// Runs the schedule `deviations` once and draws it. With the string of a recorded execution, it
// follows the schedule only as long as the execution is the recorded one, and the default schedule
// from the first differing step on.
Recording record(Program& program, const ExecutionLimits& limits,
                 const std::vector<fakezk::Deviation>& deviations,
                 const ReplayString* recorded = nullptr);

// A violation that was found, shrunk, and put in a form that can be shown and repeated.
struct Failure {
  Violation violation;
  // The program as it was shrunk, and the faults that it needs.
  std::uint32_t clients = 0;
  std::uint32_t rounds = 0;
  fakezk::FaultPlan faults;
  std::uint32_t steps = 0;
  std::size_t deviations = 0;
  std::size_t original_deviations = 0;
  std::uint32_t original_steps = 0;  // Until it was broken, before shrinking; 0 if unknown.
  Chronicle chronicle;               // The shrunk execution,
  std::string lanes;                 // and as text: draw_lanes(chronicle)
  std::string replay;                // ReplayString::text()

  // Sets the chronicle, with the violation, and the lanes.
  void show(Chronicle of_execution);
};

// Shrinks a violation that a hunt has found, first the schedule and then the scene, and runs it
// once more. The violation of a nondeterministic program cannot be shrunk, and is shown as it runs
// now.
Failure explain(const Scene& scene, const ExecutionLimits& limits, const Found& found);

}  // namespace lockstep::search
