#pragma once

#include <string>

namespace lockstep::program {

// The file of a command, found as a shell finds it. Throws UsageError with advice if the loader
// cannot preload a library into it: the file is missing, a script, for another machine, statically
// linked, or runs with other rights.
[[nodiscard]] std::string file_of_target(const std::string& command);

}  // namespace lockstep::program
