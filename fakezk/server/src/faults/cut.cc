#include "faults/fault.h"

namespace lockstep::fakezk {

namespace {

struct Cut : FaultPlaces<Cut> {
  static constexpr FaultKind kKind = FaultKind::kCut;

  template <class Visit>
  static bool each(const World& world, Visit visit) {
    return visit_each(
        world.network().size(), [&](LinkIndex link) { return world.network()[link].open; }, visit);
  }

  // By default all requests are lost. If the server accepts some of them, the cut is the same as
  // one after it has applied them.
  static void strike(World& world, const Event& event, Step& step) {
    const Link& link = world.network().at(event.index);
    const auto requests = static_cast<std::uint32_t>(link.requests.size());
    const auto items = static_cast<std::uint32_t>(link.inbox.size());
    const std::uint32_t accepted = world.choices().shortcut(requests + 1);
    const std::uint32_t received = world.draw(items + 1);
    step.lost_requests = requests - accepted;
    step.lost_inbox = items - received;
    world.trace(step);
    world.faults().cut(event.index, accepted, received);
  }
};

}  // namespace

extern const Fault kCutFault;
constinit const Fault kCutFault = Cut::with(
    {.name = "cut",
     .effect = "a connection breaks; a prefix of the messages in flight survives in each direction",
     .strikes = "an open connection"});

}  // namespace lockstep::fakezk
