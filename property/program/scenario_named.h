#pragma once

#include <string>

#include "scenarios/registry.h"

namespace lockstep::program {

// The scenario of this name, or the only one whose name begins with it: "zoo-01". Otherwise throws
// UsageError with similar names.
[[nodiscard]] const scenarios::Scenario& scenario_named(const std::string& name);

// Its form for code that blocks. Throws UsageError if there is none.
[[nodiscard]] const scenarios::Scenario& blocking_form_of(const scenarios::Scenario& scenario);

}  // namespace lockstep::program
