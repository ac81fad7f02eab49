#pragma once

#include <cstdint>
#include <string>

#include "lockstep/lab/hunt.h"

namespace lockstep::lab {

// Two clients pass once, without faults.
inline HuntSettings calm_hunt(std::uint64_t executions = 300) {
  HuntSettings settings;
  settings.executions = executions;
  settings.faults = fakezk::FaultPlan();
  settings.size = {2, 1};
  return settings;
}

// The oracle that a hunt has broken; empty if none.
inline std::string broken(const HuntReport& report) {
  return report.failure ? report.failure->violation.oracle : "";
}

}  // namespace lockstep::lab
