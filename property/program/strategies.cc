#include "strategies.h"

#include "usage.h"

namespace lockstep::program {

const fakezk::StrategyName& default_strategy() { return fakezk::strategies().front(); }

const fakezk::StrategyName& strategy_called(std::string_view name) {
  for (const fakezk::StrategyName& strategy : fakezk::strategies()) {
    if (strategy.name == name) return strategy;
  }
  throw UsageError("--strategy: there is no strategy '" + std::string(name) + "', only " +
                   strategy_names() + ", exhaustive");
}

std::string strategy_names() {
  std::string names;
  for (const fakezk::StrategyName& strategy : fakezk::strategies()) {
    names += (names.empty() ? "" : ", ") + std::string(strategy.name);
  }
  return names;
}

const fakezk::ReductionName& default_reduction() { return fakezk::reductions().back(); }

const fakezk::ReductionName& reduction_called(std::string_view name) {
  for (const fakezk::ReductionName& known : fakezk::reductions()) {
    if (known.name == name) return known;
  }
  throw UsageError("--reduction: there is no reduction '" + std::string(name) + "', only " +
                   reduction_names());
}

std::string reduction_names() {
  std::string names;
  for (const fakezk::ReductionName& known : fakezk::reductions()) {
    names += (names.empty() ? "" : ", ") + std::string(known.name);
  }
  return names;
}

}  // namespace lockstep::program
