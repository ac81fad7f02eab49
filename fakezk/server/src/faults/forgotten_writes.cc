#include "faults/fault.h"

namespace lockstep::fakezk {

namespace {

static_assert(Server::kMostForgotten == 8);

struct ForgottenWrites : FaultPlaces<ForgottenWrites> {
  static constexpr FaultKind kKind = FaultKind::kForgottenWrites;

  template <class Visit>
  static bool each(const World& world, Visit visit) {
    return world.server().forgettable() > 0 && visit(0);
  }

  static void strike(World& world, const Event&, Step& step) {
    const std::uint32_t writes = 1 + world.draw(world.server().forgettable());
    step.amount = static_cast<std::int32_t>(writes);
    step.lost_inboxes = world.faults().draw_lost_answers();
    world.trace(step);
    world.faults().lose_answers(step.lost_inboxes);
    world.faults().forget_writes(writes);
  }
};

}  // namespace

extern const Fault kForgottenWritesFault;
constinit const Fault kForgottenWritesFault = ForgottenWrites::with(
    {.name = "forgotten-writes",
     .effect = "a `leader-change`, after which the newest writes never happened: 1 to 8, all newer "
               "than the last session that began or ended",
     .strikes = "several replicas; only if it is named",
     .needs = FaultNeed::kReplicas});

}  // namespace lockstep::fakezk
