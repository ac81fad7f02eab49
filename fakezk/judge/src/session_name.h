#pragma once

#include <array>
#include <charconv>
#include <string>

#include "lockstep/stat.h"

namespace lockstep::judge {

// Names a session whose process is unknown as ZooKeeper's own tools do: "session
// 0x100000000000001".
[[nodiscard]] inline std::string session_name(SessionId session) {
  std::array<char, 16> digits{};
  const auto written =
      std::to_chars(digits.begin(), digits.end(), static_cast<unsigned long long>(session), 16);
  return "session 0x" + std::string(digits.data(), written.ptr);
}

}  // namespace lockstep::judge
