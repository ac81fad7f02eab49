#pragma once

#include <string>
#include <string_view>

#include "lockstep/search/exhaustive.h"
#include "lockstep/search/strategy.h"

namespace lockstep::program {

// The best that this version has, which it lists first.
[[nodiscard]] const search::StrategyName& default_strategy();
// Throws UsageError for a name that is unknown, or reserved for another version.
[[nodiscard]] const search::StrategyName& strategy_called(std::string_view name);
// "portfolio, random".
[[nodiscard]] std::string strategy_names();

// The reductions of an exhaustive search, likewise.
[[nodiscard]] const search::ReductionName& default_reduction();
[[nodiscard]] const search::ReductionName& reduction_called(std::string_view name);
[[nodiscard]] std::string reduction_names();

}  // namespace lockstep::program
