#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "lockstep/fakezk/explore/exhaustive.h"
#include "search.h"

namespace lockstep::program {

// The name under which an exhaustive search stands among the strategies.
inline constexpr std::string_view kExhaustive = "exhaustive";

// So that it can stand where a strategy's name is printed; it makes none.
[[nodiscard]] const fakezk::StrategyName& exhaustive_strategy();

struct Exhausted {
  fakezk::ExhaustiveResult result;
  double seconds = 0;
  bool out_of_time = false;

  // As far as it is a search like the others.
  [[nodiscard]] Searched as_searched() const;
  [[nodiscard]] nlohmann::ordered_json as_json(const Search& what) const;
  // For a search without a violation.
  void print_how_far(const Search& what) const;
  // "exhausted: 744 traces at fault budget 0".
  [[nodiscard]] std::string verdict(const Search& what) const;

 private:
  [[nodiscard]] std::string_view stopped_by() const;
};

// Throws UsageError for a name that is unknown.
[[nodiscard]] fakezk::Reduction reduction_called(std::string_view name);
// "none, sleep, source".
[[nodiscard]] std::string reduction_names();
[[nodiscard]] std::string_view default_reduction();

// Searches everything, until the number of executions or the end of the time.
[[nodiscard]] Exhausted exhaust(const Search& what, fakezk::Reduction reduction,
                                bool show_progress);

}  // namespace lockstep::program
