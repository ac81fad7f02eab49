#include "lockstep/judge/assertions.h"

#include <algorithm>
#include <array>

namespace lockstep::judge {

using search::Oracle;

namespace {

constexpr std::array kWaivers = {
    Waiver{Oracle::kS2, bit(fakezk::FaultKind::kStall), false,
           "a process that does not run cannot stop in time: only the fencing token protects"},
    Waiver{Oracle::kS2,
           bit(fakezk::FaultKind::kKillSession) | bit(fakezk::FaultKind::kForeignDelete) |
               bit(fakezk::FaultKind::kParentRemoval),
           false,
           "another client deletes the znode, and the holder does not know until it is told"},
    Waiver{Oracle::kS5, bit(fakezk::FaultKind::kForgottenWrites), false,
           "a session cannot know that the servers have forgotten its deletion: L1 judges the "
           "contenders after the znode"},
    Waiver{Oracle::kL3, fakezk::kEveryFaultKind, false,
           "after a fault a contender may look at its queue again"},
    Waiver{Oracle::kL4, bit(fakezk::FaultKind::kStall), false,
           "a process that does not run cannot return in time"},
    Waiver{Oracle::kS4, bit(fakezk::FaultKind::kForeignDelete), true,
           "the next owner's znode has the same name, so a deletion in flight can hit it"},
    Waiver{Oracle::kR2, bit(fakezk::FaultKind::kForeignDelete), true,
           "a deletion in flight, of an earlier znode of that name, can come before the release's"},
};

}  // namespace

std::span<const Waiver> waivers() { return kWaivers; }

bool asserted(Oracle oracle, const LockRules& rules, const fakezk::World& world) {
  if (world.faults_injected() == 0) return true;
  return std::ranges::none_of(kWaivers, [&](const Waiver& waiver) {
    return waiver.oracle == oracle && (waiver.under & world.kinds_injected()) != 0 &&
           (!waiver.only_single || !rules.single.empty());
  });
}

}  // namespace lockstep::judge
