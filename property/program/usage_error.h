#pragma once

#include <stdexcept>
#include <string>

namespace lockstep::program {

// Invalid input: main prints the error as one line and ends with status 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace lockstep::program
