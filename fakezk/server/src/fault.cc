#include "lockstep/fakezk/fault.h"

namespace lockstep::fakezk {

std::string_view name(FaultKind kind) { return facts(kind).name; }

std::optional<FaultKind> fault_kind(std::string_view name) {
  for (std::size_t i = 0; i < kFaultKinds; ++i) {
    const auto kind = static_cast<FaultKind>(i);
    if (facts(kind).name == name) return kind;
  }
  return std::nullopt;
}

FaultKinds faults_that_need(FaultNeed need) {
  FaultKinds kinds = 0;
  for (std::size_t i = 0; i < kFaultKinds; ++i) {
    const auto kind = static_cast<FaultKind>(i);
    if (facts(kind).needs == need) kinds |= bit(kind);
  }
  return kinds;
}

std::string_view why_impossible(FaultNeed need) {
  switch (need) {
    case FaultNeed::kNothing: return "";
    case FaultNeed::kReplicas: return "there is one server";
    case FaultNeed::kRestarter: return "a process that crashes is not started again";
  }
  return "";
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
