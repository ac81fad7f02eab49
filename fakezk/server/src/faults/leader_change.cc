#include "faults/fault.h"

namespace lockstep::fakezk {

namespace {

struct LeaderChange : FaultPlaces<LeaderChange> {
  static constexpr FaultKind kKind = FaultKind::kLeaderChange;

  template <class Visit>
  static bool each(const World&, Visit visit) {
    return visit(0);
  }

  // A server that has lost its leader, or its lead, closes its clients' connections
  // (Learner.shutdown, Leader.shutdown).
  static void strike(World& world, const Event&, Step& step) {
    step.lost_inboxes = world.faults().draw_lost_answers();
    world.trace(step);
    world.faults().lose_answers(step.lost_inboxes);
    world.faults().change_leader();
  }
};

}  // namespace

extern const Fault kLeaderChangeFault;
constinit const Fault kLeaderChangeFault = LeaderChange::with(
    {.name = "leader-change",
     .effect =
         "every connection ends, and a prefix of the answers in flight survives on each; every "
         "session's clock starts again, uncommitted expiries are void, a new epoch begins",
     .strikes = "several replicas",
     .needs = FaultNeed::kReplicas});

}  // namespace lockstep::fakezk
