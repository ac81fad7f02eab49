#pragma once

#include <memory>
#include <string_view>

#include "registry.h"

namespace lockstep::scenarios {

// The text that last words print before a scenario's replay string.
inline constexpr std::string_view kReplayBy = "lockstep replay ";

// A scenario's program with last words (lockstep/lab/last_words.h): if it ends the process, a
// `lockstep replay` command with the schedule so far is printed.
[[nodiscard]] std::unique_ptr<search::Program> make_program(const Scenario& scenario,
                                                            lab::ScenarioSize size,
                                                            const fakezk::FaultPlan& faults);

}  // namespace lockstep::scenarios
