#include "faults/fault.h"

namespace lockstep::fakezk {

namespace {

static_assert(kDriftParts == 64);

struct ClockDrift : FaultPlaces<ClockDrift> {
  static constexpr FaultKind kKind = FaultKind::kClockDrift;

  template <class Visit>
  static bool each(const World& world, Visit visit) {
    return visit_running(world, visit);
  }

  static void strike(World& world, const Event& event, Step& step) {
    const bool fast = world.draw(2) != 0;
    step.amount = fast ? 1 : -1;
    world.trace(step);
    world.faults().drift(world.process(event.index), fast);
  }
};

}  // namespace

extern const Fault kClockDriftFault;
constinit const Fault kClockDriftFault =
    ClockDrift::with({.name = "clock-drift",
                      .effect = "a process's clock is slow or fast by one part in 64 from now on",
                      .strikes = "a process that runs"});

}  // namespace lockstep::fakezk
