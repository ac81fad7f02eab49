#pragma once

#include <array>
#include <cstdint>

#include "lockstep/fakezk/fault.h"

namespace lockstep::fakezk {

// The faults that have struck in the current execution, and the kinds that its plan still allows.
class FaultBudget {
 public:
  // A new execution: no fault has struck. The plan stays.
  void begin();
  void set_plan(const FaultPlan& plan) { plan_ = plan; }
  void strikes(FaultKind kind);
  // The kinds of which the plan allows more.
  [[nodiscard]] FaultKinds left() const;
  [[nodiscard]] std::uint32_t used() const { return used_; }
  [[nodiscard]] FaultKinds kinds_used() const { return kinds_used_; }

 private:
  FaultPlan plan_;
  std::array<std::uint32_t, kFaultKinds> used_of_{};
  std::uint32_t used_ = 0;
  FaultKinds kinds_used_ = 0;
};

}  // namespace lockstep::fakezk
