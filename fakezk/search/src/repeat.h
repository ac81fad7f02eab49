#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "lockstep/search/program.h"

namespace lockstep::search {

// One execution in 200 is run twice. Which ones depends on the index only, so that a hunt's result
// does not depend on the number of jobs; 0 and 1 are among them, to find out early.
[[nodiscard]] constexpr bool is_repeated(std::uint64_t index) {
  return index < 2 || index % 200 == 0;
}

// Runs one and the same execution, watched by a tracer if there is one.
using RunAgain = std::function<Outcome(fakezk::Tracer* tracer)>;

// Runs an execution that came to `first` once more. If it goes another way, the program depends on
// something that is not the simulation's (a clock, an address, memory that it keeps between
// executions): the violation says at which step, and which events part there.
[[nodiscard]] std::optional<Violation> find_nondeterminism(const fakezk::World& world,
                                                           const Outcome& first,
                                                           const RunAgain& run);

// The same of a program that has been seen to go two ways with this schedule.
[[nodiscard]] Violation where_runs_part(const fakezk::World& world, const RunAgain& run);

// What is said of a program whose first run of a schedule has gone another way than the later ones.
[[nodiscard]] Violation remembers_executions();

}  // namespace lockstep::search
