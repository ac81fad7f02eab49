#pragma once

#include <sys/types.h>

namespace lockstep::program {

// The terminal on which this process was started, if there is one. Its foreground process group
// gets the keyboard and the signals of Ctrl-C and Ctrl-Z; a shell has put our group in the
// foreground. The calls have no effect without a terminal, or while our job is in the background.
// Requires SIGTTOU to be blocked.
class Terminal {
 public:
  Terminal();

  [[nodiscard]] bool is_there() const { return descriptor_ != -1; }
  // Puts `group` in the foreground instead of our group, and the reverse.
  void give_to(pid_t group) const;
  void take_from(pid_t group) const;

 private:
  int descriptor_ = -1;
};

}  // namespace lockstep::program
