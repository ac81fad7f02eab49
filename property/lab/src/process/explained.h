#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "lockstep/lab/hunt.h"
#include "process/aftermath.h"

namespace lockstep::lab {

// Shrinks the schedule that has ended a hunt's process, draws it, and prints it on standard error
// with its replay string after `replay_by` and a regression test. In a process of its own
// (Aftermath).
void explain_end(const LockUnderTest& lock, const HuntSettings& settings,
                 std::string_view replay_by, const End& end);
// Shrinks and draws a schedule that has ended a child process of a hunt. None if it does not do so
// again.
[[nodiscard]] std::optional<search::Failure> failure_of_end(
    const LockUnderTest& lock, const HuntSettings& settings, std::string_view replay_by,
    const std::vector<fakezk::Deviation>& deviations);

}  // namespace lockstep::lab
