#include "faults/fault.h"

namespace lockstep::fakezk {

namespace {

struct Expiry : FaultPlaces<Expiry> {
  static constexpr FaultKind kKind = FaultKind::kExpiry;

  template <class Visit>
  static bool each(const World& world, Visit visit) {
    return visit_living_sessions(world, visit);
  }

  // Traces the step at its end, after the timers that fire on the way.
  static void strike(World& world, const Event& event, Step& step) {
    world.faults().expire(event.index);
    step.now = world.now();
    world.trace(step);
  }
};

}  // namespace

extern const Fault kExpiryFault;
constinit const Fault kExpiryFault = Expiry::with(
    {.name = "expiry",
     .effect = "the server hears nothing of a session until it expires it; the clock moves there",
     .strikes = "a living session"});

}  // namespace lockstep::fakezk
