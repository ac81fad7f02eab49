#pragma once

#include <memory>

#include "support/lab.h"

namespace lockstep::support {

// A lab around a simulation.
[[nodiscard]] std::unique_ptr<Lab> make_fake_lab();

}  // namespace lockstep::support
