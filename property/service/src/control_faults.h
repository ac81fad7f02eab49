#pragma once

#include <string_view>

#include "control_json.h"

namespace lockstep::service {

// The fields that each fault expects.
[[nodiscard]] ControlAnswer list_faults();
// Answers POST /faults: see answer_control().
[[nodiscard]] ControlAnswer strike_fault(Control& control, std::string_view text);

}  // namespace lockstep::service
