#pragma once

#include <cstdint>
#include <set>

namespace lockstep::search {

// The sums of an exhaustive search, over all of its explorations.
struct Tally {
  std::uint64_t traces = 0;
  std::uint64_t executions = 0;
  std::uint64_t steps = 0;
  std::uint64_t trace_hash = 0;
  std::uint64_t trace_set_hash = 0;
  std::set<std::uint64_t> known;  // Without a reduction: the traces so far.
  std::uint64_t pairs_checked = 0;
  std::uint64_t cut = 0;      // Executions that were longer than `deepest`.
  bool repeats = false;       // Run the next whole execution twice.
  std::uint32_t deepest = 0;  // Steps up to which schedules branch; 0: not known yet.
  std::set<std::uint64_t> final_states;
};

}  // namespace lockstep::search
