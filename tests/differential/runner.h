#pragma once

#include <functional>

#include "differential/program.h"
#include "differential/rig.h"
#include "differential/transcript.h"

namespace lockstep::differential {

// What a run may do to a request, and to its wish for a watch, before it is sent: for showing that
// a wrong server is noticed.
using Distortion = std::function<void(Request& request, bool& watch)>;

// Runs a program on one side. That it never ends is something to compare, too.
[[nodiscard]] Log run_program(Rig& rig, const Program& program, const Distortion& distort = {});

}  // namespace lockstep::differential
