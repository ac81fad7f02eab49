#pragma once

#include <functional>

#include "differential/program.h"
#include "differential/rig.h"
#include "differential/transcript.h"

namespace lockstep::differential {

// Alters a request, or whether it sets a watch, before it is sent. Proves that the comparison
// notices a wrong server.
using Distortion = std::function<void(Request& request, bool& watch)>;

// Runs a program on one side. The log also says if the program does not end.
[[nodiscard]] Log run_program(Rig& rig, const Program& program, const Distortion& distort = {});

}  // namespace lockstep::differential
