#pragma once

#include <sys/types.h>

#include "lockstep/clock.h"

namespace lockstep::program {

// A process that kills a process group with SIGKILL at a deadline, unless this process postpones it
// or dismisses the guard; and at once when this process ends, by whatever cause. So a command does
// not outlive its lock, even if this process is stopped or killed, and neither do the processes
// that the command has started in its group.
class Guard {
 public:
  // Without a deadline at first. Throws std::system_error.
  explicit Guard(pid_t group);
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  // Dismisses it.
  ~Guard();

  // By the clock of zookeeper::Runtime.
  void postpone_to(TimePoint deadline);

 private:
  void tell(TimePoint deadline) const;

  int socket_ = -1;
  pid_t process_ = -1;
};

}  // namespace lockstep::program
