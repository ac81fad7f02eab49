#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "lockstep/search/exhaustive.h"
#include "search.h"

namespace lockstep::program {

// The name under which an exhaustive search stands among the strategies.
inline constexpr std::string_view kExhaustive = "exhaustive";

// So that it can stand where a strategy's name is printed; it makes none.
[[nodiscard]] const search::StrategyName& exhaustive_strategy();

struct Exhausted {
  search::ExhaustiveResult result;
  double seconds = 0;
  bool out_of_time = false;
  bool interrupted = false;
  bool out_of_depth = false;  // Nothing is left but what lies behind executions that are too long.

  // As far as it is a search like the others.
  [[nodiscard]] Searched as_searched() const;
  [[nodiscard]] nlohmann::ordered_json as_json(const Search& what) const;
  // For a search without a violation.
  void print_how_far(const Search& what) const;
  // "exhausted: 744 traces at fault budget 0, no violation (...)", or where it stopped; with what
  // was searched, and what such a search does not judge.
  [[nodiscard]] std::string verdict(const Search& what) const;

 private:
  [[nodiscard]] std::string_view stopped_by() const;
  [[nodiscard]] std::string what_was_cut_short() const;
  [[nodiscard]] std::string where_it_stopped(const Search& what) const;
};

// Searches everything, until the number of executions, the end of the time or an interruption.
[[nodiscard]] Exhausted exhaust(const Search& what, bool show_progress);

}  // namespace lockstep::program
