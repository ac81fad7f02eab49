#pragma once

#include <cstdint>
#include <string>

#include "search.h"
#include "search_options.h"

namespace lockstep::program {

// Hunts, and shows the result as the options say. Returns the exit status. `program` is the
// program's name in commands to copy.
int hunt_and_show(const HuntCommand& what, const SearchOptions& options,
                  const std::string& program);

// A hint for a search that took a while with the default number of jobs on a machine with more
// cores: using all of them gives the same result sooner. Otherwise empty.
[[nodiscard]] std::string hint_at_cores(double seconds, unsigned cores);

}  // namespace lockstep::program
