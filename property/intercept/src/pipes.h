#pragma once

#include <memory>
#include <string>
#include <utility>

#include "descriptors.h"

namespace lockstep::intercept {

// The two ends of a pipe: bytes written to the second can be read from the first.
[[nodiscard]] std::pair<std::shared_ptr<Descriptor>, std::shared_ptr<Descriptor>> make_pipe();
// Two ends that are connected to each other.
[[nodiscard]] std::pair<std::shared_ptr<Descriptor>, std::shared_ptr<Descriptor>> make_pair();

}  // namespace lockstep::intercept
