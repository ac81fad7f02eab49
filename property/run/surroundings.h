#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace lockstep::run {

// The environment, the working directory and the open files of a process, which a program may
// change besides its variables.
class Surroundings {
 public:
  // Records the current state, with these environment variables.
  explicit Surroundings(char** variables);
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;
  ~Surroundings();

  // Restores the state, and returns the environment variables.
  char** restore();
  // Descriptors below that number were open at the start.
  [[nodiscard]] unsigned first_file() const { return first_file_; }
  // A fork of the recorded process has its own files.
  [[nodiscard]] bool are_of(::pid_t process) const { return process == process_; }

 private:
  ::pid_t process_;
  int folder_;           // The working directory.
  unsigned first_file_;  // This file and all above belong to the program.
  std::vector<char*> variables_;
  std::vector<char*> current_;
};

}  // namespace lockstep::run
