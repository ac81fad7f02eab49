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
  // Whether our input, output and errors all are this terminal. If not, other processes of our
  // group may need it, as in `lockstep lock ... | less`.
  [[nodiscard]] bool is_all_ours() const { return all_ours_; }
  // Puts `group` in the foreground instead of our group, and the reverse. Returns whether `group`
  // is there now.
  bool give_to(pid_t group) const;
  void take_from(pid_t group) const;

 private:
  int descriptor_ = -1;
  bool all_ours_ = true;
};

}  // namespace lockstep::program
