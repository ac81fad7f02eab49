#pragma once

#include <memory>
#include <string>
#include <utility>

#include "descriptors.h"

namespace lockstep::intercept {

// Returns the two ends of a pipe: bytes written to the second can be read from the first.
[[nodiscard]] std::pair<std::shared_ptr<Descriptor>, std::shared_ptr<Descriptor>> make_pipe();
// Returns the two ends of a socket pair.
[[nodiscard]] std::pair<std::shared_ptr<Descriptor>, std::shared_ptr<Descriptor>> make_pair();

}  // namespace lockstep::intercept
