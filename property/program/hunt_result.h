#pragma once

#include <string>

#include "search.h"
#include "search_options.h"

namespace lockstep::program {

// Hunts, and shows the result as the options say. Returns the exit status. `program` is its name in
// commands to copy.
int hunt_and_show(const Search& what, const SearchOptions& options, const std::string& program);

}  // namespace lockstep::program
