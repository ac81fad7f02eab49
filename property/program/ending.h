#pragma once

#include <functional>

namespace lockstep::program {

// Defined as in <sysexits.h>.
inline constexpr int kInternalError = 70;
inline constexpr int kCannotWrite = 74;

// Runs a command and returns the exit status of the program: that of the command, unless its output
// could not be written. An exception becomes one line on standard error and the status for it.
int end_with(const std::function<int()>& command);

}  // namespace lockstep::program
