#pragma once

#include <string>

#include "search.h"

namespace lockstep::program {

// The command that repeats a search: the same executions, with all arguments.
[[nodiscard]] std::string command_for(const HuntCommand& what, const std::string& program);
// Repeats the search only up to the failed execution.
[[nodiscard]] std::string command_up_to_failure(const HuntCommand& what,
                                                const lab::HuntReport& report,
                                                const std::string& program);
[[nodiscard]] std::string replay_command(const HuntCommand& what, const search::Failure& failure,
                                         const std::string& program);
// The same for a replay of a scenario.
[[nodiscard]] std::string replay_command(const search::Failure& failure,
                                         const std::string& program);

}  // namespace lockstep::program
