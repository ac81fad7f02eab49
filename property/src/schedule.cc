#include "lockstep/property/schedule.h"

#include <algorithm>
#include <ostream>

namespace rc {

namespace {

using lockstep::fakezk::Choice;
using lockstep::fakezk::Deviation;
using lockstep::property::Schedule;

constexpr std::uint32_t kPositions = 100;
constexpr std::uint32_t kChoices = 4;
constexpr double kSparse = 0.1;

// Of full range, whatever the size of the list around it.
Gen<Deviation> deviation() {
  return gen::resize(
      kNominalSize,
      gen::apply([](std::uint32_t position, std::uint32_t kind,
                    std::uint32_t index) { return Deviation{position, Choice{kind == 3, index}}; },
                 gen::inRange(0u, kPositions), gen::inRange(0u, 4u), gen::inRange(0u, kChoices)));
}

// At one position only one thing can happen: the first of them counts.
Schedule in_order(std::vector<Deviation> deviations) {
  std::ranges::stable_sort(deviations, {}, &Deviation::position);
  const auto repeated = std::ranges::unique(deviations, {}, &Deviation::position);
  deviations.erase(repeated.begin(), repeated.end());
  return {std::move(deviations)};
}

}  // namespace

Gen<Schedule> Arbitrary<Schedule>::arbitrary() {
  return gen::map(gen::scale(kSparse, gen::container<std::vector<Deviation>>(deviation())),
                  &in_order);
}

}  // namespace rc

namespace lockstep::property {

void showValue(const Schedule& schedule, std::ostream& stream) {
  stream << fakezk::format_deviations(schedule.deviations);
}

}  // namespace lockstep::property
