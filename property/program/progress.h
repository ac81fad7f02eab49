#pragma once

#include <chrono>
#include <cstdint>

namespace lockstep::program {

// Shows the progress of a search on stderr, only if that is a terminal: one line, overwritten each
// time and erased at the end.
class Progress {
 public:
  // `executions` and `seconds` are the limits of the search, whichever comes first; without a limit
  // (HuntSettings::kUnbounded, infinity) the time left is not shown.
  Progress(bool wanted, std::uint64_t executions, double seconds);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void update(std::uint64_t done);

 private:
  bool shown_;
  std::uint64_t executions_;
  double seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_ = start_;
};

}  // namespace lockstep::program
