#pragma once

#include <cstdint>
#include <set>

namespace lockstep::search {

// The sums of one exploration, or of an exhaustive search.
struct Tally {
  // Adds the sums of a later exploration of other traces.
  void add(Tally&& later) {
    traces += later.traces;
    executions += later.executions;
    steps += later.steps;
    trace_hash += later.trace_hash;
    trace_set_hash += later.trace_set_hash;
    pairs_checked += later.pairs_checked;
    cut += later.cut;
    deepest = later.deepest;
    final_states.merge(later.final_states);
  }

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
