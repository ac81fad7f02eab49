#pragma once

#include <span>
#include <string_view>

#include "lockstep/fakezk/fault.h"
#include "lockstep/fakezk/world.h"
#include "lockstep/judge/lock_rules.h"
#include "lockstep/search/oracle.h"

namespace lockstep::judge {

// A guarantee that no recipe can give under some kinds of faults. It is waived only in executions
// in which one of these faults has struck; all other guarantees are asserted under every fault.
struct Waiver {
  search::Oracle oracle;
  fakezk::FaultKinds under;
  bool only_single;  // Only for locks that are one znode of a fixed name (LockRules::single).
  std::string_view because;
};
[[nodiscard]] std::span<const Waiver> waivers();

// Whether `oracle` is asserted in the execution up to now.
[[nodiscard]] bool asserted(search::Oracle oracle, const LockRules& rules,
                            const fakezk::World& world);

}  // namespace lockstep::judge
