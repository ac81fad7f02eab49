#pragma once

#include <cstdint>
#include <set>

#include "exhaustive/state_set.h"
#include "lockstep/search/judgements.h"

namespace lockstep::search {

// Sums over explorations of different traces.
struct Sums {
  void add(const Sums& other) {
    traces += other.traces;
    executions += other.executions;
    steps += other.steps;
    trace_hash += other.trace_hash;
    trace_set_hash += other.trace_set_hash;
    pairs_checked += other.pairs_checked;
    cut += other.cut;
    judged += other.judged;
  }
  friend bool operator==(const Sums&, const Sums&) = default;

  std::uint64_t traces = 0;
  std::uint64_t executions = 0;
  std::uint64_t steps = 0;
  std::uint64_t trace_hash = 0;
  std::uint64_t trace_set_hash = 0;
  std::uint64_t pairs_checked = 0;
  std::uint64_t cut = 0;   // Executions that were longer than Tally::deepest.
  Judgements judged = {};  // In traces and in executions that were cut short.
};

// The findings of one exploration, or of an exhaustive search.
struct Tally : Sums {
  std::set<std::uint64_t> known;  // Without a reduction: the traces so far.
  bool repeats = false;           // Run the next whole execution twice.
  std::uint32_t deepest = 0;      // Steps up to which schedules branch; 0: not known yet.
  StateSet final_states;
};

}  // namespace lockstep::search
