#pragma once

#include <span>

#include "lockstep/fakezk/event_list.h"
#include "lockstep/fakezk/fault.h"
#include "lockstep/fakezk/world.h"

namespace lockstep::fakezk {

// One kind of fault, in one file of this folder: the facts, where it can strike, what it does.
struct Fault : FaultFacts {
  // Whether it can strike anywhere.
  bool (*possible)(const World& world);
  // Adds the events by which it can strike, if its kind is among those that are left.
  void (*list)(const World& world, FaultKinds left, EventList& into);
  // Strikes; `step` has the event. Traces the step before anything else changes.
  void (*strike)(World& world, const Event& event, Step& step);
};

// All of them, in the order in which a menu lists them.
struct ListedFault {
  FaultKind kind;
  const Fault* fault;
};
[[nodiscard]] std::span<const ListedFault, kFaultKinds> listed_faults();
[[nodiscard]] const Fault& fault(FaultKind kind);
// Those of `kinds` that can strike.
[[nodiscard]] FaultKinds possible_among(const World& world, FaultKinds kinds);

// `Self` has each(world, visit), which calls visit(index) for each place where it can strike until
// that returns true, and returns whether it did.
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

// Calls visit(index) for every index below `count` that satisfies `can_strike`, as above.
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
