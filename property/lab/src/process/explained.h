#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "lockstep/lab/hunt.h"
#include "lockstep/search/shrink_scenario.h"
#include "process/explainer_process.h"

namespace lockstep::lab {

// Shrinks the schedule that has ended a hunt's process, draws it, and prints it on standard error
// with a replay string (after `replay_by`) and a regression test. Runs in a separate process
// (ExplainerProcess).
void explain_end(const LockUnderTest& lock, const HuntSettings& settings,
                 std::string_view replay_by, const End& end);
// The failure that this schedule shows, without lanes.
[[nodiscard]] search::Failure failure_of(const LockUnderTest& lock, search::ShrunkScene shrunk);
// Shrinks and draws a schedule that has ended a child process of a hunt. Returns none if the
// schedule does not end its process again.
[[nodiscard]] std::optional<search::Failure> failure_of_end(
    const LockUnderTest& lock, const HuntSettings& settings, std::string_view replay_by,
    const std::vector<fakezk::Deviation>& deviations);

}  // namespace lockstep::lab
