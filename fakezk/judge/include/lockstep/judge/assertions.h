#pragma once

#include <span>
#include <string_view>

#include "lockstep/fakezk/fault.h"
#include "lockstep/fakezk/world.h"
#include "lockstep/judge/lock_rules.h"

namespace lockstep::judge {

// A guarantee that no recipe can give under some kinds of faults. Every other guarantee is asserted
// under every fault, and this one too in executions in which none of these has struck.
struct Waiver {
  std::string_view oracle;
  fakezk::FaultKinds under;
  bool only_single;  // Of locks that are one znode of a fixed name (LockRules::single).
  std::string_view because;
};
[[nodiscard]] std::span<const Waiver> waivers();

// Whether `oracle` is asserted in the execution as it has gone so far.
[[nodiscard]] bool asserted(std::string_view oracle, const LockRules& rules,
                            const fakezk::World& world);

}  // namespace lockstep::judge
