#include "lockstep/fakezk/fault_budget.h"

#include <bit>

namespace lockstep::fakezk {

void FaultBudget::begin() {
  used_of_.fill(0);
  used_ = 0;
  kinds_used_ = 0;
}

void FaultBudget::strikes(FaultKind kind) {
  ++used_of_[static_cast<std::size_t>(kind)];
  ++used_;
  kinds_used_ |= bit(kind);
}

FaultKinds FaultBudget::left() const {
  if (used_ >= plan_.total()) return 0;
  FaultKinds left = plan_.kinds();
  for (FaultKinds used = kinds_used_; used != 0; used &= used - 1) {
    const auto kind = static_cast<FaultKind>(std::countr_zero(used));
    if (used_of_[static_cast<std::size_t>(kind)] >= plan_.most(kind)) left &= ~bit(kind);
  }
  return left;
}

}  // namespace lockstep::fakezk
