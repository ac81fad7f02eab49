#pragma once

#include <string>

#include "scenarios/registry.h"

namespace lockstep::program {

// The scenario of this name, or the only one whose name begins so: "zoo-01". Throws UsageError that
// says which may have been meant.
[[nodiscard]] const scenarios::Scenario& scenario_named(const std::string& name);

// Its form for code that blocks. Throws UsageError if there is none.
[[nodiscard]] const scenarios::Scenario& blocking_form_of(const scenarios::Scenario& scenario);

}  // namespace lockstep::program
