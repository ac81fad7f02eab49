#pragma once

#include <sys/types.h>

namespace lockstep::program {

// The terminal that this process was started on, if there is one. Its foreground process group gets
// the keyboard and the signals of Ctrl-C and Ctrl-Z; a shell has made ours that one. The calls have
// no effect without a terminal, or while our job is in the background. SIGTTOU is blocked.
class Terminal {
 public:
  Terminal();

  [[nodiscard]] bool is_there() const { return descriptor_ != -1; }
  // Makes `group` the foreground instead of our group, and the reverse.
  void give_to(pid_t group) const;
  void take_from(pid_t group) const;

 private:
  int descriptor_ = -1;
};

}  // namespace lockstep::program
