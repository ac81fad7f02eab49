#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "lockstep/search/program.h"

namespace lockstep::search {

// Runs the same execution each time, with a tracer if there is one.
using RunAgain = std::function<Outcome(fakezk::Tracer* tracer)>;

// Repeats an execution whose outcome was `first`. If it diverges, the program depends on something
// outside the simulation (a clock, an address, memory that it keeps between executions): the
// violation names the step and the events that differ.
[[nodiscard]] std::optional<Violation> find_nondeterminism(const fakezk::World& world,
                                                           const Outcome& first,
                                                           const RunAgain& run);

// The same for a schedule that is known to diverge.
[[nodiscard]] Violation where_runs_diverge(const fakezk::World& world, const RunAgain& run);

// The violation of a program whose first run of a schedule differs from all later ones.
[[nodiscard]] Violation remembers_executions();

}  // namespace lockstep::search
