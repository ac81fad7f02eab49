#include "faults/fault.h"

namespace lockstep::fakezk {

namespace {

struct ForeignDelete : FaultPlaces<ForeignDelete> {
  static constexpr FaultKind kKind = FaultKind::kForeignDelete;

  template <class Visit>
  static bool each(const World& world, Visit visit) {
    const Server& server = world.server();
    return visit_each(
        server.session_count(),
        [&](SessionIndex session) {
          return server.session_alive(session) && !server.ephemerals(session).empty();
        },
        visit);
  }

  static void strike(World& world, const Event& event, Step& step) {
    const std::span<const PathId> ephemerals = world.server().ephemerals(event.index);
    step.path = ephemerals[world.draw(static_cast<std::uint32_t>(ephemerals.size()))];
    world.hash_in(world.server().paths().text(step.path).hash());
    world.trace(step);
    world.servers().remove_as_operator(step.path, world.now());
  }
};

}  // namespace

extern const Fault kForeignDeleteFault;
constinit const Fault kForeignDeleteFault =
    ForeignDelete::with({.name = "foreign-delete",
                         .effect = "an operator deletes an ephemeral znode",
                         .strikes = "an ephemeral znode"});

}  // namespace lockstep::fakezk
