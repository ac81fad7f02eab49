#pragma once

#include <iosfwd>
#include <map>
#include <vector>

#include "exhaustive/step_key.h"
#include "exhaustive/tally.h"
#include "lockstep/search/checkpoint.h"

namespace lockstep::search {

// The faults of one exploration, sorted; a fault may occur twice.
using Faults = std::vector<Fault>;

// An exploration that has tried everything.
struct Finished {
  Sums sums;
  std::vector<Fault> others;  // Faults that could have happened, too.
  StateSet final_states;      // Empty once the search has added them to its own.
};

using FinishedByFaults = std::map<Faults, Finished>;

// The part of a search that a checkpoint keeps.
struct SavedSearch {
  FinishedByFaults finished;
  StateSet final_states;
};

void write(std::ostream& out, FinishedByFaults& finished, StateSet& final_states);
// Throws UnusableCheckpoint if the text is not what write() has written.
[[nodiscard]] SavedSearch read_saved(std::istream& in);

// Estimates the number of traces for combinations of equally many faults.
class Forecast {
 public:
  // `finished` has all combinations of fewer faults, and must outlive the forecast.
  Forecast(const FinishedByFaults& finished, std::uint32_t fault_budget)
      : known_(finished), estimate_{.fault_budget = fault_budget} {}

  // Call it before the search.
  void expect(const Faults& faults);
  void has_finished(const Faults& faults, std::uint64_t traces);
  [[nodiscard]] ExhaustiveEstimate estimate() const;

 private:
  [[nodiscard]] double weight(const Faults& faults) const;
  [[nodiscard]] double traces_of(const Faults& faults) const;

  const FinishedByFaults& known_;
  ExhaustiveEstimate estimate_;
  double weight_ = 0;           // The sum over all expected ones.
  double finished_weight_ = 0;  // The sum over the finished ones.
};

}  // namespace lockstep::search
