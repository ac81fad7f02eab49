#pragma once

#include <string>
#include <string_view>

#include "lockstep/fakezk/explore/strategy.h"

namespace lockstep::program {

// The best that this version has, which it lists first.
[[nodiscard]] const fakezk::StrategyName& default_strategy();
// Throws UsageError for a name that is unknown, or reserved for another version.
[[nodiscard]] const fakezk::StrategyName& strategy_called(std::string_view name);
// "portfolio, random".
[[nodiscard]] std::string strategy_names();

}  // namespace lockstep::program
