#include "strategies.h"

#include "usage.h"

namespace lockstep::program {

namespace {

// A strategy whose name is known but which may not be there yet.
constexpr std::string_view kReserved = "exhaustive";

}  // namespace

const fakezk::StrategyName& default_strategy() { return fakezk::strategies().front(); }

const fakezk::StrategyName& strategy_called(std::string_view name) {
  for (const fakezk::StrategyName& strategy : fakezk::strategies()) {
    if (strategy.name == name) return strategy;
  }
  if (name == kReserved) reject_as_unavailable("--strategy: '" + std::string(name) + "'");
  throw UsageError("--strategy: there is no strategy '" + std::string(name) + "', only " +
                   strategy_names());
}

std::string strategy_names() {
  std::string names;
  for (const fakezk::StrategyName& strategy : fakezk::strategies()) {
    names += (names.empty() ? "" : ", ") + std::string(strategy.name);
  }
  return names;
}

}  // namespace lockstep::program
