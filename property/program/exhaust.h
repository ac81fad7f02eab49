#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lockstep/fakezk/explore/exhaustive.h"
#include "search.h"

namespace lockstep::program {

// The name under which an exhaustive search stands among the strategies.
inline constexpr std::string_view kExhaustive = "exhaustive";

struct Exhausted {
  fakezk::ExhaustiveResult result;
  double seconds = 0;
  bool out_of_time = false;
};

// Throws UsageError for a name that is unknown.
[[nodiscard]] fakezk::Reduction reduction_called(std::string_view name);
// "none, sleep, source".
[[nodiscard]] std::string reduction_names();
[[nodiscard]] std::string_view default_reduction();

// Searches everything, until the number of executions or the end of the time.
[[nodiscard]] Exhausted exhaust(const Search& what, fakezk::Reduction reduction,
                                bool show_progress);

// "--strategy exhaustive": searches, prints, and returns the exit status.
int run_exhaustive(const Search& what, fakezk::Reduction reduction, bool json,
                   const std::string& program);

}  // namespace lockstep::program
