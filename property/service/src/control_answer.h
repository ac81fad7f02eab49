#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "control_json.h"

namespace lockstep::service {

// Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] ControlAnswer answer(unsigned status, const nlohmann::json& body);
// A 4xx answer: what is wrong, and what is expected instead.
[[nodiscard]] ControlAnswer refused(unsigned status, std::string why, nlohmann::json expected);

[[nodiscard]] inline std::int64_t milliseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

}  // namespace lockstep::service
