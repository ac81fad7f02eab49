#pragma once

namespace lockstep::run {

// While it lives, what a hunted program prints is kept apart from what Lockstep does.
class OwnOutput {
 public:
  // On standard error, or nowhere.
  explicit OwnOutput(bool is_shown);
  OwnOutput(const OwnOutput&) = delete;
  OwnOutput& operator=(const OwnOutput&) = delete;
  ~OwnOutput();

 private:
  int standard_output_;
  int standard_error_;
};

}  // namespace lockstep::run
