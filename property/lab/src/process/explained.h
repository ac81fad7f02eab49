#pragma once

#include <string_view>

#include "lockstep/lab/hunt.h"
#include "process/aftermath.h"

namespace lockstep::lab {

// Shrinks the schedule that has ended a hunt's process, draws it, and prints it on standard error
// with its replay string after `replay_by` and a regression test. In a process of its own
// (Aftermath).
void explain_end(const LockUnderTest& lock, const HuntSettings& settings,
                 std::string_view replay_by, const End& end);

}  // namespace lockstep::lab
