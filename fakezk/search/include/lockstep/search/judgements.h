#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "lockstep/search/oracle.h"

namespace lockstep::search {

// How often each oracle judged something that could have broken it. An oracle that judged nothing
// has not been tested: its silence means nothing.
class Judgements {
 public:
  void count(Oracle oracle, std::uint64_t times = 1) { counts_[index(oracle)] += times; }
  [[nodiscard]] std::uint64_t of(Oracle oracle) const { return counts_[index(oracle)]; }
  Judgements& operator+=(const Judgements& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
    return *this;
  }
  friend bool operator==(const Judgements&, const Judgements&) = default;
  // Whether one of the judges of exclusion, S1 and S2, judged anything.
  [[nodiscard]] bool covers_exclusion() const { return of(Oracle::kS1) + of(Oracle::kS2) > 0; }

  // "no violation", or "no violation, exclusion NOT judged".
  [[nodiscard]] std::string verdict() const;

  // "Judged: S1 20, R1 3 times. Judged nothing: L4 (no acquire had a deadline).", guarantees only.
  [[nodiscard]] std::string text() const;

 private:
  static std::size_t index(Oracle oracle) { return static_cast<std::size_t>(oracle); }

  std::array<std::uint64_t, static_cast<std::size_t>(Oracle::kMisuse) + 1> counts_{};
};

}  // namespace lockstep::search
