#pragma once

#include <string>
#include <string_view>

#include "lockstep/fakezk/explore/exhaustive.h"
#include "lockstep/fakezk/explore/strategy.h"

namespace lockstep::program {

// The best that this version has, which it lists first.
[[nodiscard]] const fakezk::StrategyName& default_strategy();
// Throws UsageError for a name that is unknown, or reserved for another version.
[[nodiscard]] const fakezk::StrategyName& strategy_called(std::string_view name);
// "portfolio, random".
[[nodiscard]] std::string strategy_names();

// The reductions of an exhaustive search, likewise.
[[nodiscard]] const fakezk::ReductionName& default_reduction();
[[nodiscard]] const fakezk::ReductionName& reduction_called(std::string_view name);
[[nodiscard]] std::string reduction_names();

}  // namespace lockstep::program
