#pragma once

#include <string>

#include "lockstep/lab/hunt.h"

namespace lockstep::lab {

// The oracle that a hunt has broken; empty if none.
inline std::string broken(const HuntReport& report) {
  return report.failure ? report.failure->violation.oracle : "";
}

}  // namespace lockstep::lab
