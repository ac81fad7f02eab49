#include "fault_menu.h"

#include <algorithm>

#include "faults/fault.h"

namespace lockstep::fakezk {

std::span<const Event> FaultMenu::list() const { return kinds_listed(kFaultKinds); }

std::span<const Event> FaultMenu::list_up_to(FaultKind kind) const {
  const auto listed = listed_faults();
  const auto kinds_before = std::ranges::find(listed, kind, &ListedFault::kind) - listed.begin();
  return kinds_listed(static_cast<std::size_t>(kinds_before) + 1);
}

FaultKinds FaultMenu::among(FaultKinds kinds) const {
  return possible_among(world_, kinds & world_.faults().left());
}

std::span<const Event> FaultMenu::list_with(std::uint32_t index) const {
  std::span<const Event> found = kinds_listed(listed_);
  while (found.size() <= index && listed_ < kFaultKinds) found = kinds_listed(listed_ + 1);
  return found;
}

std::span<const Event> FaultMenu::kinds_listed(std::size_t kinds) const {
  EventList& faults = world_.faults().listed();
  if (listed_ == 0) faults.clear();
  const FaultKinds left = world_.faults().left();
  for (; listed_ < kinds; ++listed_) listed_faults()[listed_].fault->list(world_, left, faults);
  return faults.view();
}

}  // namespace lockstep::fakezk
