#pragma once

namespace lockstep::run {

// While it lives, the hunted program's output is kept apart from Lockstep's.
class OwnOutput {
 public:
  // Sends it to standard error, or to /dev/null. Without /dev/null it stays where it is.
  explicit OwnOutput(bool is_shown);
  OwnOutput(const OwnOutput&) = delete;
  OwnOutput& operator=(const OwnOutput&) = delete;
  ~OwnOutput();

 private:
  int standard_output_;
  int standard_error_;
};

}  // namespace lockstep::run
