#include "own_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

namespace lockstep::run {

namespace {

// Flushes text that is still in a buffer to where the descriptor points now.
void flush() {
  std::cout.flush();
  std::fflush(stdout);
}

}  // namespace

OwnOutput::OwnOutput(bool is_shown)
    : standard_output_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)),
      standard_error_(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)) {
  flush();
  if (is_shown) {
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    return;
  }
  const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nothing == -1) return;
  ::dup2(nothing, STDOUT_FILENO);
  ::dup2(nothing, STDERR_FILENO);
  ::close(nothing);
}

OwnOutput::~OwnOutput() {
  flush();
  ::dup2(standard_output_, STDOUT_FILENO);
  ::dup2(standard_error_, STDERR_FILENO);
  ::close(standard_output_);
  ::close(standard_error_);
}

}  // namespace lockstep::run
