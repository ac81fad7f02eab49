#include "lockstep/fakezk/fault.h"

namespace lockstep::fakezk {

namespace {

constexpr std::array<std::string_view, kFaultKinds> kNames = {"cut",
                                                              "expiry",
                                                              "kill-session",
                                                              "timer",
                                                              "late-apply",
                                                              "lag",
                                                              "replica-partition",
                                                              "leader-change",
                                                              "stall",
                                                              "crash",
                                                              "clock-drift",
                                                              "foreign-delete",
                                                              "parent-removal",
                                                              "sequence-overflow",
                                                              "forgotten-writes"};

}  // namespace

std::string_view name(FaultKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

std::optional<FaultKind> fault_kind(std::string_view name) {
  for (std::size_t i = 0; i < kFaultKinds; ++i) {
    if (kNames[i] == name) return static_cast<FaultKind>(i);
  }
  return std::nullopt;
}

FaultPlan FaultPlan::all(std::uint32_t total) {
  FaultPlan plan;
  for (std::size_t i = 0; i < kFaultKinds; ++i) {
    if ((kAllFaultKinds & bit(static_cast<FaultKind>(i))) != 0) plan.most_[i] = kUnlimited;
  }
  plan.kinds_ = kAllFaultKinds;
  plan.total_ = total;
  return plan;
}

bool FaultPlan::any() const { return total_ > 0 && kinds() != 0; }

}  // namespace lockstep::fakezk
