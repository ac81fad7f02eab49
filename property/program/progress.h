#pragma once

#include <chrono>
#include <cstdint>

namespace lockstep::program {

// How far a search is, on stderr and only if that is a terminal: one line that is written over
// again and taken away at the end.
class Progress {
 public:
  // `executions` and `seconds` are where the search will end, whichever comes first; nothing is
  // said of the time left if neither bounds it (HuntSettings::kUnbounded, infinity).
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
