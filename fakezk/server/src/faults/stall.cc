#include "faults/fault.h"

namespace lockstep::fakezk {

namespace {

struct Stall : FaultPlaces<Stall> {
  static constexpr FaultKind kKind = FaultKind::kStall;

  template <class Visit>
  static bool each(const World& world, Visit visit) {
    return visit_each(
        world.process_count(),
        [&](std::uint32_t index) {
          return world.process(index).runs() && !world.process(index).stalled();
        },
        visit);
  }

  static void strike(World& world, const Event& event, Step& step) {
    world.trace(step);
    world.faults().stall(world.process(event.index));
  }
};

}  // namespace

extern const Fault kStallFault;
constinit const Fault kStallFault =
    Stall::with({.name = "stall",
                 .effect = "a process executes nothing until it wakes, which is a separate event; "
                           "the clock goes on by a bounded time",
                 .strikes = "a process that runs"});

}  // namespace lockstep::fakezk
