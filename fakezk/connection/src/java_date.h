#pragma once

#include <cstdint>
#include <string>

namespace lockstep::connection {

// Java's Date.toString in UTC, for milliseconds since 1970: "Wed Nov 25 21:54:57 UTC 2026".
[[nodiscard]] std::string java_date(std::int64_t milliseconds);

}  // namespace lockstep::connection
