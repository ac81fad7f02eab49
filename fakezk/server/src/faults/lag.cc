#include "faults/fault.h"

namespace lockstep::fakezk {

namespace {

struct Lag : FaultPlaces<Lag> {
  template <class Visit>
  static bool each(const World& world, Visit visit) {
    return visit_each(
        world.server().replica_count(),
        [&](ReplicaIndex index) { return !world.server().replica(index).lagging; }, visit);
  }

  // Lists lags and partitions together, replica by replica.
  static void list(const World& world, FaultKinds left, EventList& into) {
    const auto add = [&](FaultKind kind, ReplicaIndex index, bool struck) {
      if ((left & bit(kind)) != 0 && !struck) into.add({Event::Kind::kFault, kind, index});
    };
    if ((left & (bit(FaultKind::kLag) | bit(FaultKind::kReplicaPartition))) == 0) return;
    for (ReplicaIndex index = 0; index < world.server().replica_count(); ++index) {
      add(FaultKind::kLag, index, world.server().replica(index).lagging);
      add(FaultKind::kReplicaPartition, index, world.server().replica(index).unreachable);
    }
  }

  static void strike(World& world, const Event& event, Step& step) {
    world.trace(step);
    world.servers().set_lagging(event.index, true, world.now());
  }
};

}  // namespace

extern const Fault kLagFault;
constinit const Fault kLagFault = Lag::with(
    {.name = "lag",
     .effect = "a replica applies committed transactions entry by entry, each as a separate event",
     .strikes = "several replicas",
     .needs = FaultNeed::kReplicas});

}  // namespace lockstep::fakezk
