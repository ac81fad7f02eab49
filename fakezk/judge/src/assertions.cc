#include "lockstep/judge/assertions.h"

#include <algorithm>
#include <array>

namespace lockstep::judge {

namespace {

constexpr std::array kWaivers = {
    Waiver{"S2", bit(fakezk::FaultKind::kStall), false,
           "a process that does not run cannot stop in time: only the fencing token protects"},
    Waiver{"S2",
           bit(fakezk::FaultKind::kKillSession) | bit(fakezk::FaultKind::kForeignDelete) |
               bit(fakezk::FaultKind::kParentRemoval),
           false, "somebody takes the znode away, and the holder cannot know before it is told"},
    Waiver{
        "S5", bit(fakezk::FaultKind::kForgottenWrites), false,
        "a session cannot know that the servers have forgotten its deletion: L1 judges those who "
        "queue after the znode"},
    Waiver{"L3", fakezk::kEveryFaultKind, false,
           "after a fault a contender may look at its queue anew"},
    Waiver{"L4", bit(fakezk::FaultKind::kStall), false,
           "a process that does not run does not return either"},
    Waiver{"S4", bit(fakezk::FaultKind::kForeignDelete), true,
           "the next owner's znode has the same name, and a deletion on its way means that name"},
};

}  // namespace

std::span<const Waiver> waivers() { return kWaivers; }

bool asserted(std::string_view oracle, const LockRules& rules, const fakezk::World& world) {
  if (world.faults_injected() == 0) return true;
  return std::ranges::none_of(kWaivers, [&](const Waiver& waiver) {
    return waiver.oracle == oracle && (waiver.under & world.kinds_injected()) != 0 &&
           (!waiver.only_single || !rules.single.empty());
  });
}

}  // namespace lockstep::judge
