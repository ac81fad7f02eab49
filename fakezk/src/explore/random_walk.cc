#include <algorithm>

#include "lockstep/fakezk/explore/strategy.h"

namespace lockstep::fakezk {

void FaultTimes::draw(RandomStream& random, const ExecutionStart& start) {
  position_ = 0;
  // Every number of faults up to the budget is equally likely: most bugs need one or two.
  count_ = start.faults == 0 ? 0 : random.below(std::min(start.faults, kMost) + 1);
  const std::uint32_t length = start.calm_positions + start.calm_positions / 4 + 1;
  for (std::uint32_t i = 0; i < count_; ++i) at_[i] = random.below(length);
}

bool FaultTimes::due() {
  const std::uint32_t now = position_++;
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (at_[i] == now) return true;
  }
  return false;
}

void RandomWalk::begin(const ExecutionStart& start) {
  random_.reseed(start.seed);
  faults_.draw(random_, start);
}

Choice RandomWalk::next(const Menu& menu) {
  if (faults_.due()) {
    const auto faults = static_cast<std::uint32_t>(menu.faults().size());
    if (faults != 0) return Choice{true, random_.below(faults)};
  }
  const auto events = static_cast<std::uint32_t>(menu.events().size());
  if (events == 1) return Choice{};
  return Choice{false, random_.below(events)};
}

std::uint32_t RandomWalk::number(std::uint32_t options) { return random_.below(options); }

}  // namespace lockstep::fakezk
