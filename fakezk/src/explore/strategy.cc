#include "lockstep/fakezk/explore/strategy.h"

#include <algorithm>

namespace lockstep::fakezk {

namespace {

constexpr std::array<StrategyName, 6> kStrategies = {{{"portfolio", &make_portfolio},
                                                      {"random", &make_random_walk},
                                                      {"pct", &make_pct},
                                                      {"pos", &make_pos},
                                                      {"urw", &make_urw},
                                                      {"delay", &make_delay}}};

}  // namespace

std::span<const StrategyName> strategies() { return kStrategies; }

std::uint32_t source_of(const Event& event) {
  switch (event.kind) {
    case Event::Kind::kDeliver: return 1 + 2 * event.index;
    case Event::Kind::kApply: return 2 + 2 * event.index;
    case Event::Kind::kCloseSession:
    case Event::Kind::kReap:
    case Event::Kind::kStray:
    case Event::Kind::kReplicate:
    case Event::Kind::kTimer:
    case Event::Kind::kWake:
    case Event::Kind::kFault: break;
  }
  return kServerSource;
}

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

void RandomStrategy::begin(const ExecutionStart& start) {
  random_.reseed(start.seed);
  faults_.draw(random_, start);
  begin_events(start);
}

Choice RandomStrategy::next(const Menu& menu) {
  if (faults_.due()) {
    const auto faults = static_cast<std::uint32_t>(menu.faults().size());
    if (faults != 0) return Choice{true, random_.below(faults)};
  }
  const std::span<const Event> events = menu.events();
  const std::uint32_t index = events.size() == 1 ? 0 : choose(events);
  happens(events[index]);
  return Choice{false, index};
}

}  // namespace lockstep::fakezk
