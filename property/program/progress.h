#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "lockstep/search/checkpoint.h"

namespace lockstep::program {

// Shows the progress of a search on stderr, only if that is a terminal: one line, overwritten each
// time and erased at the end.
class Progress {
 public:
  // `executions` and `seconds` limit the search, whichever comes first. Without a limit
  // (HuntSettings::kUnbounded, infinity) no time left is shown.
  Progress(bool wanted, std::uint64_t executions, double seconds);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void update(std::uint64_t done);
  // Sets an exhaustive search's estimate, which the next update shows.
  void update(const search::ExhaustiveEstimate& how_far);

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] std::string estimate() const;

  bool shown_;
  std::uint64_t executions_;
  double seconds_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
  // The last estimate, and the first one in its fault budget with its time.
  std::optional<search::ExhaustiveEstimate> how_far_;
  search::ExhaustiveEstimate how_far_first_;
  Clock::time_point first_;
};

}  // namespace lockstep::program
