#include "faults/fault.h"

namespace lockstep::fakezk {

namespace {

static_assert(Server::kMostCreatesLeft == 3);

struct SequenceOverflow : FaultPlaces<SequenceOverflow> {
  static constexpr FaultKind kKind = FaultKind::kSequenceOverflow;

  template <class Visit>
  static bool each(const World& world, Visit visit) {
    return visit_each(world.server().windable().size(), [](std::uint32_t) { return true; }, visit);
  }

  static PathId parent(const Server& server, std::uint32_t index) {
    return server.windable()[index];
  }

  // By default the counter moves to the first of these positions.
  static void strike(World& world, const Event& event, Step& step) {
    step.path = parent(world.server(), event.index);
    const std::uint32_t nearer = world.draw(Server::kMostCreatesLeft + 1);
    step.amount =
        Server::kLastNumber - Server::kMostCreatesLeft + static_cast<std::int32_t>(nearer);
    world.trace(step);
    world.servers().wind_sequence(step.path, step.amount);
  }
};

}  // namespace

extern const Fault kSequenceOverflowFault;
constinit const Fault kSequenceOverflowFault = SequenceOverflow::with(
    {.name = "sequence-overflow",
     .effect = "a parent's counter stands 0 to 3 creates before the end of the sequence numbers",
     .strikes = "a parent that has had children, while no replica is behind",
     .parent = &SequenceOverflow::parent});

}  // namespace lockstep::fakezk
