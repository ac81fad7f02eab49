#include "faults/fault.h"

namespace lockstep::fakezk {

namespace {

struct Crash : FaultPlaces<Crash> {
  static constexpr FaultKind kKind = FaultKind::kCrash;

  template <class Visit>
  static bool each(const World& world, Visit visit) {
    return visit_running(world, visit);
  }

  static void strike(World& world, const Event& event, Step& step) {
    world.trace(step);
    world.faults().crash(world.process(event.index));
  }
};

}  // namespace

extern const Fault kCrashFault;
constinit const Fault kCrashFault =
    Crash::with({.name = "crash",
                 .effect = "a process dies without warning and starts again",
                 .strikes = "a process whose program allows it",
                 .needs = FaultNeed::kRestarter});

}  // namespace lockstep::fakezk
