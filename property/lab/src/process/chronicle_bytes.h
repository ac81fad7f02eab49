#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lockstep/search/chronicle.h"

namespace lockstep::lab {

// A chronicle as bytes, for a process of the same program.
[[nodiscard]] std::string bytes_of(const search::Chronicle& chronicle);
// Returns none unless that are all bytes of a chronicle.
[[nodiscard]] std::optional<search::Chronicle> chronicle_of(std::string_view bytes);

}  // namespace lockstep::lab
