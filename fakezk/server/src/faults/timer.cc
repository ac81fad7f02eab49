#include <chrono>
#include <optional>

#include "faults/fault.h"

namespace lockstep::fakezk {

namespace {

struct Timer : FaultPlaces<Timer> {
  static constexpr FaultKind kKind = FaultKind::kTimer;
  // A thread that may go on is late by so much at most: a busy machine does that to it.
  static constexpr Duration kLongestPreemption = std::chrono::milliseconds(100);

  template <class Visit>
  static bool each(const World& world, Visit visit) {
    return may_fire(world) && visit(0);
  }

  static bool may_fire(const World& world) {
    if (!world.clock().a_timer_runs()) return false;
    if (!world.threads().next()) return true;
    const std::optional<TimePoint> due = world.clock().earliest();
    return due && *due - world.now() <= kLongestPreemption;
  }

  // Threads that the timer wakes go on before those that it makes late.
  static void strike(World& world, const Event& event, Step&) {
    const std::size_t late = world.threads().ready().size();
    world.fire_timer(event);
    world.threads().move_ahead(late);
  }
};

}  // namespace

extern const Fault kTimerFault;
constinit const Fault kTimerFault =
    Timer::with({.name = "timer",
                 .effect = "the earliest timer fires although messages are in flight",
                 .strikes = "if there is a timer; while a thread may go on, only if the timer is "
                            "due within 100 ms"});

}  // namespace lockstep::fakezk
