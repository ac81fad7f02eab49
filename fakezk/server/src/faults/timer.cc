#include "faults/fault.h"

namespace lockstep::fakezk {

namespace {

struct Timer : FaultPlaces<Timer> {
  static constexpr FaultKind kKind = FaultKind::kTimer;

  template <class Visit>
  static bool each(const World& world, Visit visit) {
    return world.clock().a_timer_runs() && !world.threads().next() && visit(0);
  }

  static void strike(World& world, const Event& event, Step&) { world.fire_timer(event); }
};

}  // namespace

extern const Fault kTimerFault;
constinit const Fault kTimerFault =
    Timer::with({.name = "timer",
                 .effect = "the earliest timer fires although messages are in flight",
                 .strikes = "if there is a timer, and no thread that may go on"});

}  // namespace lockstep::fakezk
