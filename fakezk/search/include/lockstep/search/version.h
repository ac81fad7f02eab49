#pragma once

#include <string_view>

#include "lockstep/internal/language.h"

namespace lockstep::search {

// The version of this library, "0.1.0", which reports name.
[[nodiscard]] std::string_view version();

}  // namespace lockstep::search
