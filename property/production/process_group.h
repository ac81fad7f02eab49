#pragma once

#include <sys/types.h>

#include <optional>

namespace lockstep::program {

// A process of the group that has not ended, if there is one. /proc must show the processes under
// the ids that this process knows; otherwise nothing is found. Exceptions: those of the file
// system.
[[nodiscard]] std::optional<pid_t> living_member(pid_t group);

}  // namespace lockstep::program
