#pragma once

#include <memory>

#include "support/lab.h"

namespace lockstep::support {

// A lab around a real server: each session has a proxy of its own in front of it.
[[nodiscard]] std::unique_ptr<Lab> make_zookeeper_lab();

}  // namespace lockstep::support
