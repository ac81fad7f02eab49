#pragma once

#include <cstdint>
#include <string>

#include "search.h"
#include "search_options.h"

namespace lockstep::program {

// Hunts, and shows the result as the options say. Returns the exit status. `program` is its name in
// commands to copy.
int hunt_and_show(const Search& what, const SearchOptions& options, const std::string& program);

// For a search that took a while with the usual number of jobs, on a machine with more cores: that
// all of them have the same result sooner. Otherwise nothing.
[[nodiscard]] std::string hint_at_cores(double seconds, unsigned cores);

}  // namespace lockstep::program
