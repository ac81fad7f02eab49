#include "surroundings.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>

namespace lockstep::run {

namespace {

// One above the highest open file descriptor.
unsigned first_free_file() {
  unsigned first = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const std::string name = entry.path().filename();
    unsigned file = 0;
    std::from_chars(name.data(), name.data() + name.size(), file);
    first = std::max(first, file + 1);
  }
  return first;
}

}  // namespace

Surroundings::Surroundings(char** variables)
    : process_(::getpid()),
      folder_(::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)),
      first_file_(first_free_file()) {
  for (char** variable = variables; *variable; ++variable) variables_.push_back(*variable);
  variables_.push_back(nullptr);
}

Surroundings::~Surroundings() {
  if (folder_ >= 0) ::close(folder_);
}

// setenv() may have changed the list in place, or replaced it.
char** Surroundings::restore() {
  ::close_range(first_file_, ~0U, 0);
  if (folder_ >= 0 && ::fchdir(folder_) != 0) std::abort();
  current_ = variables_;
  environ = current_.data();
  return current_.data();
}

}  // namespace lockstep::run
