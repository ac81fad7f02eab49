#include "faults/fault.h"

namespace lockstep::fakezk {

namespace {

struct ParentRemoval : FaultPlaces<ParentRemoval> {
  static constexpr FaultKind kKind = FaultKind::kParentRemoval;

  template <class Visit>
  static bool each(const World& world, Visit visit) {
    return visit_each(world.server().reapable().size(), [](std::uint32_t) { return true; }, visit);
  }

  static PathId parent(const Server& server, std::uint32_t index) {
    return server.reapable()[index];
  }

  static void strike(World& world, const Event& event, Step& step) {
    step.path = parent(world.server(), event.index);
    world.trace(step);
    world.servers().reap(step.path, world.now());
  }
};

}  // namespace

extern const Fault kParentRemovalFault;
constinit const Fault kParentRemovalFault = ParentRemoval::with(
    {.name = "parent-removal",
     .effect = "the servers reap a container that has had children and has none now",
     .strikes = "such a container",
     .parent = &ParentRemoval::parent});

}  // namespace lockstep::fakezk
