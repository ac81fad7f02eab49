#pragma once

#include <memory>

#include "registry.h"

namespace lockstep::scenarios {

// A scenario's program, watched: if the process is aborted while it runs (abort(), std::terminate,
// a check that fails), the schedule up to there is printed on standard error as a replay string.
// Whoever runs it does not have to do anything; an exception that escapes from a task is no abort.
[[nodiscard]] std::unique_ptr<fakezk::Program> make_program(const Scenario& scenario,
                                                            fake::ScenarioSize size,
                                                            const fakezk::FaultPlan& faults);

}  // namespace lockstep::scenarios
