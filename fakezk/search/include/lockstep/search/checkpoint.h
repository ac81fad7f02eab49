#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <stdexcept>

#include "lockstep/internal/language.h"

namespace lockstep::search {

// The checkpoint does not fit the search that should resume from it.
class UnusableCheckpoint : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Keeps what an exhaustive search has finished, so that a later search of the same program, with
// the same options, goes on from there. One job at a time calls it.
class Checkpoint {
 public:
  Checkpoint() = default;
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;
  virtual ~Checkpoint() = default;

  // Returns the last saved state; null if there is none. Called once, before the search.
  [[nodiscard]] virtual std::unique_ptr<std::istream> saved() = 0;
  // Called whenever something has been finished: returns whether to save it now.
  [[nodiscard]] virtual bool is_due() = 0;
  // Replaces what was saved by what `write` writes. Also called at the end of the search.
  virtual void save(const std::function<void(std::ostream&)>& write) = 0;
};

// How far an exhaustive search has come within the fault budget that it searches.
struct ExhaustiveEstimate {
  std::uint32_t fault_budget = 0;
  std::uint64_t combinations = 0;  // Combinations of that many faults.
  std::uint64_t finished = 0;      // How many of them have been searched.
  std::uint64_t traces = 0;        // Traces of those.
  // An estimate of the traces of all: a combination {f, g} is expected to have |{f}| |{g}| / |{}|
  // traces, corrected by how far off this was for the finished ones.
  double expected_traces = 0;
};

}  // namespace lockstep::search
