#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace lockstep::run {

// The environment and the open files of a process, which a program may change beside its variables.
class Surroundings {
 public:
  // As they are now, with these variables of the environment.
  explicit Surroundings(char** variables);

  // Puts them back, and returns the variables of the environment.
  char** restore();
  // A fork of that process has files of its own.
  [[nodiscard]] bool are_of(::pid_t process) const { return process == process_; }

 private:
  ::pid_t process_;
  unsigned first_file_;  // It and all above are the program's.
  std::vector<char*> variables_;
  std::vector<char*> current_;
};

}  // namespace lockstep::run
