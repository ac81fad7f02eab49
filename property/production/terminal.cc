#include "terminal.h"

#include <unistd.h>

#include <initializer_list>

namespace lockstep::program {

Terminal::Terminal() {
  for (const int descriptor : {STDIN_FILENO, STDERR_FILENO, STDOUT_FILENO}) {
    // tcgetpgrp also fails for a terminal that does not control this process.
    if (tcgetpgrp(descriptor) == -1) {
      all_ours_ = false;
    } else {
      descriptor_ = descriptor;
    }
  }
}

bool Terminal::give_to(pid_t group) const {
  if (!is_there()) return false;
  const pid_t foreground = tcgetpgrp(descriptor_);
  if (foreground == getpgrp()) return tcsetpgrp(descriptor_, group) == 0;
  return foreground == group;
}

void Terminal::take_from(pid_t group) const {
  if (is_there() && tcgetpgrp(descriptor_) == group) tcsetpgrp(descriptor_, getpgrp());
}

}  // namespace lockstep::program
