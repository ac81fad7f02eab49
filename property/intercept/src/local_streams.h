#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "lockstep/intercept/host.h"

namespace lockstep::intercept {

// Returns the two ends of a connection between threads of one execution.
[[nodiscard]] std::pair<std::unique_ptr<Stream>, std::unique_ptr<Stream>> connect_locally(
    Host& host);
// Whether this is such an end.
[[nodiscard]] bool is_local(const Stream& stream);

}  // namespace lockstep::intercept
