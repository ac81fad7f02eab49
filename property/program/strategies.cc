#include "strategies.h"

#include "usage.h"

namespace lockstep::program {

const search::StrategyName& default_strategy() { return search::strategies().front(); }

const search::StrategyName& strategy_called(std::string_view name) {
  for (const search::StrategyName& strategy : search::strategies()) {
    if (strategy.name == name) return strategy;
  }
  throw UsageError("--strategy: there is no strategy '" + std::string(name) + "', only " +
                   strategy_names() + ", exhaustive");
}

std::string strategy_names() {
  std::string names;
  for (const search::StrategyName& strategy : search::strategies()) {
    names += (names.empty() ? "" : ", ") + std::string(strategy.name);
  }
  return names;
}

const search::ReductionName& default_reduction() { return search::reductions().back(); }

const search::ReductionName& reduction_called(std::string_view name) {
  for (const search::ReductionName& known : search::reductions()) {
    if (known.name == name) return known;
  }
  throw UsageError("--reduction: there is no reduction '" + std::string(name) + "', only " +
                   reduction_names());
}

std::string reduction_names() {
  std::string names;
  for (const search::ReductionName& known : search::reductions()) {
    names += (names.empty() ? "" : ", ") + std::string(known.name);
  }
  return names;
}

}  // namespace lockstep::program
