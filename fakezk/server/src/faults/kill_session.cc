#include "faults/fault.h"

namespace lockstep::fakezk {

namespace {

struct KillSession : FaultPlaces<KillSession> {
  static constexpr FaultKind kKind = FaultKind::kKillSession;

  template <class Visit>
  static bool each(const World& world, Visit visit) {
    return visit_living_sessions(world, visit);
  }

  static void strike(World& world, const Event& event, Step& step) {
    world.trace(step);
    world.faults().kill_session(event.index);
  }
};

}  // namespace

extern const Fault kKillSessionFault;
constinit const Fault kKillSessionFault =
    KillSession::with({.name = "kill-session",
                       .effect = "an operator ends a session; no time passes",
                       .strikes = "a living session"});

}  // namespace lockstep::fakezk
