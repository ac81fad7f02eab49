#include "faults/fault.h"

namespace lockstep::fakezk {

namespace {

struct ReplicaPartition : FaultPlaces<ReplicaPartition> {
  template <class Visit>
  static bool each(const World& world, Visit visit) {
    return visit_each(
        world.server().replica_count(),
        [&](ReplicaIndex index) { return !world.server().replica(index).unreachable; }, visit);
  }

  // The fault `lag` lists this one, too.
  static void list(const World&, FaultKinds, EventList&) {}

  static void strike(World& world, const Event& event, Step& step) {
    world.trace(step);
    world.servers().isolate(event.index, world.now());
  }
};

}  // namespace

extern const Fault kReplicaPartitionFault;
constinit const Fault kReplicaPartitionFault = ReplicaPartition::with(
    {.name = "replica-partition",
     .effect = "a replica loses its leader, and serves reads until the sync limit; signs of life "
               "that clients gave it in the last half tick do not reach the leader",
     .strikes = "several replicas",
     .needs = FaultNeed::kReplicas});

}  // namespace lockstep::fakezk
