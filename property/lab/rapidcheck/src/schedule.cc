#include "lockstep/rapidcheck/schedule.h"

#include <map>
#include <ostream>

namespace rc {

namespace {

using lockstep::fakezk::Choice;
using lockstep::fakezk::Deviation;
using lockstep::rapidcheck::Schedule;

constexpr std::uint32_t kPositions = 100;
constexpr std::uint32_t kChoices = 4;
constexpr double kSparse = 0.1;

// Draws from the full range, independently of the size of the list.
Gen<Deviation> deviation() {
  return gen::resize(
      kNominalSize,
      gen::apply([](std::uint32_t position, std::uint32_t kind,
                    std::uint32_t index) { return Deviation{position, Choice{kind == 3, index}}; },
                 gen::inRange(0u, kPositions), gen::inRange(0u, 4u), gen::inRange(0u, kChoices)));
}

// A position has at most one deviation: the first one drawn counts.
Schedule in_order(const std::vector<Deviation>& drawn) {
  std::map<std::uint32_t, Choice> by_position;
  for (const Deviation& deviation : drawn)
    by_position.emplace(deviation.position, deviation.choice);
  Schedule schedule;
  for (const auto& [position, choice] : by_position)
    schedule.deviations.push_back({position, choice});
  return schedule;
}

}  // namespace

Gen<Schedule> Arbitrary<Schedule>::arbitrary() {
  return gen::map(gen::scale(kSparse, gen::container<std::vector<Deviation>>(deviation())),
                  &in_order);
}

}  // namespace rc

namespace lockstep::rapidcheck {

void showValue(const Schedule& schedule, std::ostream& stream) {
  stream << search::format_deviations(schedule.deviations);
}

}  // namespace lockstep::rapidcheck
