#pragma once

#include <span>

#include "lockstep/fakezk/event_list.h"
#include "lockstep/fakezk/fault.h"
#include "lockstep/fakezk/world.h"

namespace lockstep::fakezk {

// One kind of fault, in one file of this folder: its facts, where it can strike, and what it does.
struct Fault : FaultFacts {
  // Whether it can strike anywhere.
  bool (*possible)(const World& world);
  // Adds an event for each place where the fault can strike, if `left` has its kind.
  void (*list)(const World& world, FaultKinds left, EventList& into);
  // Strikes; `step` has the event. Traces the step before anything else changes.
  void (*strike)(World& world, const Event& event, Step& step);
};

// All kinds, in the order in which a menu lists them.
struct ListedFault {
  FaultKind kind;
  const Fault* fault;
};
[[nodiscard]] std::span<const ListedFault, kFaultKinds> listed_faults();
[[nodiscard]] const Fault& fault(FaultKind kind);
// Those of `kinds` that can strike.
[[nodiscard]] FaultKinds possible_among(const World& world, FaultKinds kinds);

// Self::each(world, visit) calls visit(index) for each place where the fault can strike, until
// visit returns true; it returns whether visit did.
template <class Self>
struct FaultPlaces {
  static bool possible(const World& world) {
    return Self::each(world, [](std::uint32_t) { return true; });
  }
  static void list(const World& world, FaultKinds left, EventList& into) {
    if ((left & bit(Self::kKind)) == 0) return;
    Self::each(world, [&](std::uint32_t index) {
      into.add({Event::Kind::kFault, Self::kKind, index});
      return false;
    });
  }
  [[nodiscard]] static constexpr Fault with(const FaultFacts& facts) {
    return {facts, &Self::possible, &Self::list, &Self::strike};
  }
};

// Calls visit(index) for every index below `count` that satisfies `can_strike`, as Self::each does.
template <class CanStrike, class Visit>
bool visit_each(std::size_t count, CanStrike can_strike, Visit visit) {
  for (std::uint32_t index = 0; index < count; ++index) {
    if (can_strike(index) && visit(index)) return true;
  }
  return false;
}

template <class Visit>
bool visit_living_sessions(const World& world, Visit visit) {
  return visit_each(
      world.server().session_count(),
      [&](SessionIndex session) { return world.server().session_alive(session); }, visit);
}

template <class Visit>
bool visit_running(const World& world, Visit visit) {
  return visit_each(
      world.process_count(), [&](std::uint32_t process) { return world.process(process).runs(); },
      visit);
}

}  // namespace lockstep::fakezk
