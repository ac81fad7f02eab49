#include "terminal.h"

#include <unistd.h>

#include <initializer_list>

namespace lockstep::program {

Terminal::Terminal() {
  for (const int descriptor : {STDIN_FILENO, STDERR_FILENO, STDOUT_FILENO}) {
    // tcgetpgrp also fails for a terminal that does not control this process.
    if (descriptor_ == -1 && tcgetpgrp(descriptor) != -1) descriptor_ = descriptor;
  }
}

void Terminal::give_to(pid_t group) const {
  if (is_there() && tcgetpgrp(descriptor_) == getpgrp()) tcsetpgrp(descriptor_, group);
}

void Terminal::take_from(pid_t group) const {
  if (is_there() && tcgetpgrp(descriptor_) == group) tcsetpgrp(descriptor_, getpgrp());
}

}  // namespace lockstep::program
