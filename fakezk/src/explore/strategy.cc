#include "lockstep/fakezk/explore/strategy.h"

#include <algorithm>

namespace lockstep::fakezk {

namespace {

// How often a kind strikes where several can: what happens often in production happens often here.
constexpr std::array<std::uint32_t, kFaultKinds> kWeights = [] {
  std::array<std::uint32_t, kFaultKinds> weights{};
  weights.fill(2);
  for (const FaultKind often : {FaultKind::kCut, FaultKind::kExpiry}) {
    weights[static_cast<std::size_t>(often)] = 4;
  }
  return weights;
}();

constexpr std::array<StrategyName, 6> kStrategies = {{{"portfolio", &make_portfolio},
                                                      {"random", &make_random_walk},
                                                      {"pct", &make_pct},
                                                      {"pos", &make_pos},
                                                      {"urw", &make_urw},
                                                      {"delay", &make_delay}}};

}  // namespace

std::span<const StrategyName> strategies() { return kStrategies; }

std::uint32_t source_of(const Event& event) {
  constexpr auto kKinds = static_cast<std::uint32_t>(Event::Kind::kFault) + 1;
  const auto kind = static_cast<std::uint32_t>(event.kind);
  const bool one_for_all = event.kind == Event::Kind::kReap;
  return kind + kKinds * (one_for_all ? 0 : event.index);
}

// Mostly some: what breaks without a fault breaks soon enough. Every number of them up to the
// budget is equally likely then: most bugs need one or two.
std::uint32_t FaultTimes::number_of_faults(RandomStream& random, std::uint32_t most) {
  if (random.below(kFaultFreeShare) == 0) return 0;
  return 1 + random.below(most);
}

void FaultTimes::draw(RandomStream& random, const ExecutionStart& start) {
  position_ = 0;
  count_ = start.faults == 0 ? 0 : number_of_faults(random, std::min(start.faults, kMost));
  const std::uint32_t length = start.calm_positions + start.calm_positions / 4 + 1;
  std::uint32_t distance = 0;
  if (count_ > 1 && random.below(kSpacedShare) == 0) distance = random.below(length / count_ + 1);
  // Uniform among all ways to keep that distance.
  const std::uint32_t room = length - std::min(length - 1, (count_ - 1) * distance);
  for (std::uint32_t i = 0; i < count_; ++i) at_[i] = random.below(distance == 0 ? length : room);
  if (distance == 0) return;
  std::sort(at_.begin(), at_.begin() + count_);
  for (std::uint32_t i = 0; i < count_; ++i) at_[i] += i * distance;
}

bool FaultTimes::due() {
  const std::uint32_t now = position_++;
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (at_[i] == now) return true;
  }
  return false;
}

void Swarm::draw(RandomStream& random, FaultKinds possible) {
  kinds_ = possible;
  const std::uint32_t share = random.below(kSwarmShares);
  if (share == 0) return;
  FaultKinds drawn = static_cast<FaultKinds>(random.next()) & possible;
  if (share == 1) drawn = bit(static_cast<FaultKind>(random.below(kFaultKinds))) & possible;
  if (drawn != 0) kinds_ = drawn;
}

void RandomStrategy::begin(const ExecutionStart& start) {
  random_.reseed(start.seed);
  overdue_ = 0;
  times_.draw(random_, start);
  if (start.faults > 0) swarm_.draw(random_, start.fault_kinds);
  begin_events(start);
}

Choice RandomStrategy::next(const Menu& menu) {
  if (times_.due()) ++overdue_;
  if (overdue_ > 0) [[unlikely]] {
    const std::optional<Choice> fault = strike(menu.faults());
    if (fault) {
      --overdue_;
      return *fault;
    }
  }
  const std::span<const Event> events = menu.events();
  const std::uint32_t index = events.size() == 1 ? 0 : choose(events);
  happens(events[index]);
  return Choice{false, index};
}

std::optional<Choice> RandomStrategy::strike(std::span<const Event> faults) {
  std::array<std::uint32_t, kFaultKinds> count{};
  std::uint32_t all = 0;
  for (const Event& fault : faults) {
    if ((swarm_.kinds() & bit(fault.fault)) == 0) continue;
    const auto i = static_cast<std::size_t>(fault.fault);
    if (count[i]++ == 0) all += kWeights[i];
  }
  if (all == 0) return std::nullopt;
  std::uint32_t left = random_.below(all);
  std::size_t kind = 0;
  for (;; ++kind) {
    if (count[kind] == 0) continue;
    if (left < kWeights[kind]) break;
    left -= kWeights[kind];
  }
  std::uint32_t which = random_.below(count[kind]);
  for (std::uint32_t i = 0; i < faults.size(); ++i) {
    if (static_cast<std::size_t>(faults[i].fault) == kind && which-- == 0) return Choice{true, i};
  }
  return std::nullopt;
}

}  // namespace lockstep::fakezk
