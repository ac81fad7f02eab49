#pragma once

#include <sys/types.h>

#include "lockstep/clock.h"

namespace lockstep::program {

// A process that kills a process group with SIGKILL at a deadline, unless this process postpones
// the deadline or dismisses the guard; and at once when this process ends, for whatever reason. So
// neither a command nor the processes in its group outlive its lock, even if this process is
// stopped or killed. Its name is `lock-guard`, so that a signal to all processes with this
// program's name does not reach it.
class Guard {
 public:
  enum class State {
    kStands,
    kHasKilled,  // The deadline has passed.
    kGone        // Something else has ended it. Nothing guards the group.
  };

  // Starts without a deadline. Throws std::system_error.
  explicit Guard(pid_t group);
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  // Dismisses the guard.
  ~Guard();

  // By the clock of zookeeper::Runtime. If the machine sleeps, the guard counts that time too, and
  // kills the group when the machine wakes.
  void postpone_to(TimePoint deadline);
  // Lets the guard go on if a signal has stopped it.
  [[nodiscard]] State look() const;
  [[nodiscard]] pid_t process() const { return process_; }
  // Ends the guard. Returns true if it has killed the group. Call it once.
  bool dismiss();

 private:
  bool tell(TimePoint deadline) const;
  void go_on() const;

  int socket_ = -1;
  pid_t process_ = -1;
  TimePoint deadline_ = TimePoint::max();
};

}  // namespace lockstep::program
