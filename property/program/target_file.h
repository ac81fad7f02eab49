#pragma once

#include <string>

namespace lockstep::program {

// The file of a command, looked for as a shell does. Throws UsageError, which says what to do, if
// it is no program into which the loader can put a library: it is not there, a script, for another
// machine, statically linked, or runs with other rights.
[[nodiscard]] std::string file_of_target(const std::string& command);

}  // namespace lockstep::program
