#include "faults/fault.h"

namespace lockstep::fakezk {

namespace {

bool has_write_in_flight(const Link& link) {
  bool found = false;
  link.requests.each([&](const ClientMessage& message) {
    found |= message.kind == ClientMessage::Kind::kRequest && is_write(message.request.op);
  });
  return found;
}

struct LateApply : FaultPlaces<LateApply> {
  static constexpr FaultKind kKind = FaultKind::kLateApply;

  template <class Visit>
  static bool each(const World& world, Visit visit) {
    return visit_each(
        world.network().size(),
        [&](LinkIndex link) {
          return world.server().session_of(link) != Server::kNoSession &&
                 has_write_in_flight(world.network()[link]);
        },
        visit);
  }

  // The server has read at least one request.
  static void strike(World& world, const Event& event, Step& step) {
    const Link& link = world.network().at(event.index);
    const auto requests = static_cast<std::uint32_t>(link.requests.size());
    const auto items = static_cast<std::uint32_t>(link.inbox.size());
    const std::uint32_t accepted = 1 + world.draw(requests);
    const std::uint32_t received = world.draw(items + 1);
    step.lost_requests = requests - accepted;
    step.lost_inbox = items - received;
    world.trace(step);
    world.faults().cut_late(event.index, accepted, received);
  }
};

}  // namespace

extern const Fault kLateApplyFault;
constinit const Fault kLateApplyFault = LateApply::with(
    {.name = "late-apply",
     .effect = "a cut; the server applies the writes that it had already read, but later",
     .strikes = "writes in flight"});

}  // namespace lockstep::fakezk
