#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "lockstep/search/exhaustive.h"
#include "lockstep/search/hunt.h"

namespace lockstep::search {

// The jobs of an exhaustive search that run at the same time.
struct ExhaustiveJobs {
  std::uint32_t count = 1;
  // Makes the program of each job, on the calling thread.
  std::function<std::unique_ptr<Program>()> make_program;
};

// The search of search_exhaustively(program, options), by several jobs, each with a program and a
// world of its own. With source sets they search different combinations of faults of one budget;
// other reductions have nothing to share. The result is the same for any number of jobs, unless
// `keep_going` ends the search. All jobs call `keep_going`, also at the same time, with the number
// of executions that all have made so far. One job does everything if ExhaustiveOptions::executions
// bounds the search.
ExhaustiveResult search_exhaustively(const ExhaustiveOptions& options, const ExhaustiveJobs& jobs,
                                     Workers& workers);

}  // namespace lockstep::search
