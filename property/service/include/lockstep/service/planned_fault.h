#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace lockstep::service {

// The faults of a plan. Each is the call of Control with its name.
enum class PlannedFault : std::uint8_t {
  kExpire,
  kCut,
  kStall,
  kDelay,
  kLoseRequest,
  kLoseReply,
  kRefuse,
  kLag,
  kChangeLeader,
};

struct PlannedFaultName {
  PlannedFault fault;
  std::string_view name;
};
// Their names on the control port.
inline constexpr std::array kPlannedFaults = {
    PlannedFaultName{PlannedFault::kExpire, "expire"},
    PlannedFaultName{PlannedFault::kCut, "cut"},
    PlannedFaultName{PlannedFault::kStall, "stall"},
    PlannedFaultName{PlannedFault::kDelay, "delay"},
    PlannedFaultName{PlannedFault::kLoseRequest, "lose-request"},
    PlannedFaultName{PlannedFault::kLoseReply, "lose-reply"},
    PlannedFaultName{PlannedFault::kRefuse, "refuse"},
    PlannedFaultName{PlannedFault::kLag, "lag"},
    PlannedFaultName{PlannedFault::kChangeLeader, "change-leader"},
};

}  // namespace lockstep::service
