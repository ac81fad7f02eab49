#include "faults/fault.h"

namespace lockstep::fakezk {

namespace {

struct Timer : FaultPlaces<Timer> {
  static constexpr FaultKind kKind = FaultKind::kTimer;

  template <class Visit>
  static bool each(const World& world, Visit visit) {
    return FaultsHand::a_timer_runs(world) && !FaultsHand::a_thread_may_go_on(world) && visit(0);
  }

  static void strike(World& world, const Event& event, Step&) {
    FaultsHand::fire_timer(world, event);
  }
};

}  // namespace

extern const Fault kTimerFault;
constinit const Fault kTimerFault =
    Timer::with({.name = "timer",
                 .effect = "the earliest timer fires although messages are in flight",
                 .strikes = "if there is a timer, and no thread that may go on"});

}  // namespace lockstep::fakezk
