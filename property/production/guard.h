#pragma once

#include <sys/types.h>

#include "lockstep/clock.h"

namespace lockstep::program {

// A process that kills a process group with SIGKILL at a deadline, unless this process postpones
// the deadline or dismisses the guard; and at once when this process ends, for whatever reason. So
// neither a command nor the processes in its group outlive its lock, even if this process is
// stopped or killed.
class Guard {
 public:
  // Starts without a deadline. Throws std::system_error.
  explicit Guard(pid_t group);
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  // Dismisses the guard.
  ~Guard();

  // By the clock of zookeeper::Runtime.
  void postpone_to(TimePoint deadline);

 private:
  void tell(TimePoint deadline) const;

  int socket_ = -1;
  pid_t process_ = -1;
};

}  // namespace lockstep::program
