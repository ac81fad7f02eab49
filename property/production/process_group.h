#pragma once

#include <sys/types.h>

#include <optional>

namespace lockstep::program {

// A process group as /proc shows it.
class GroupLook {
 public:
  std::optional<pid_t> living;  // A process of it that has not ended.
  // Whether all processes could be looked at: not without descriptors for that, and where /proc
  // is not there or belongs to another namespace of process ids.
  bool complete = false;
};
// Exceptions: those of the file system.
[[nodiscard]] GroupLook look_at_group(pid_t group);

}  // namespace lockstep::program
