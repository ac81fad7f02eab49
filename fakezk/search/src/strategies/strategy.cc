#include "lockstep/search/strategy.h"

#include <algorithm>
#include <bit>

namespace lockstep::search {

namespace {

// The relative frequencies of the kinds: what is frequent in production is frequent here.
constexpr std::array<std::uint32_t, fakezk::kFaultKinds> kWeights = [] {
  std::array<std::uint32_t, fakezk::kFaultKinds> weights{};
  weights.fill(2);
  for (const fakezk::FaultKind often : {fakezk::FaultKind::kCut, fakezk::FaultKind::kExpiry}) {
    weights[static_cast<std::size_t>(often)] = 4;
  }
  return weights;
}();

fakezk::FaultKind first(fakezk::FaultKinds kinds) {
  return static_cast<fakezk::FaultKind>(std::countr_zero(kinds));
}

std::uint32_t weight_of_first(fakezk::FaultKinds kinds) {
  return kWeights[static_cast<std::size_t>(first(kinds))];
}

// Kinds that must be named count only where they are named: other hunts draw as if these kinds did
// not exist.
std::uint32_t kinds_to_draw(fakezk::FaultKinds possible) {
  return static_cast<std::uint32_t>(std::bit_width(possible | fakezk::kAllFaultKinds));
}

constexpr std::array<StrategyName, 6> kStrategies = {{{"portfolio", &make_portfolio},
                                                      {"random", &make_random_walk},
                                                      {"pct", &make_pct},
                                                      {"pos", &make_pos},
                                                      {"urw", &make_urw},
                                                      {"delay", &make_delay}}};

}  // namespace

std::span<const StrategyName> strategies() { return kStrategies; }

// Mostly draws some faults, because bugs that need none are found soon enough. Then every number up
// to the budget is equally likely; most bugs need one or two.
std::uint32_t FaultTimes::number_of_faults(fakezk::RandomStream& random, std::uint32_t most) {
  if (random.below(kFaultFreeShare) == 0) return 0;
  return 1 + random.below(most);
}

void FaultTimes::draw(fakezk::RandomStream& random, const ExecutionStart& start) {
  position_ = 0;
  next_ = 0;
  const std::uint32_t count =
      start.faults == 0 ? 0 : number_of_faults(random, std::min(start.faults, kMost));
  const std::uint32_t length = start.calm_positions + start.calm_positions / 4 + 1;
  std::uint32_t distance = 0;
  if (count > 1 && random.below(kSpacedShare) == 0) distance = random.below(length / count + 1);
  // Uniform among all ways to keep that distance.
  const std::uint32_t room = length - std::min(length - 1, (count - 1) * distance);
  for (std::uint32_t i = 0; i < count; ++i) at_[i] = random.below(distance == 0 ? length : room);
  std::sort(at_.begin(), at_.begin() + count);
  for (std::uint32_t i = 0; i < count; ++i) at_[i] += i * distance;
  at_[count] = kNever;
}

void Swarm::draw(fakezk::RandomStream& random, fakezk::FaultKinds possible) {
  kinds_ = possible;
  const std::uint32_t share = random.below(kSwarmShares);
  if (share == 0) return;
  fakezk::FaultKinds drawn = static_cast<fakezk::FaultKinds>(random.next()) & possible;
  if (share == 1)
    drawn = bit(static_cast<fakezk::FaultKind>(random.below(kinds_to_draw(possible)))) & possible;
  if (drawn != 0) kinds_ = drawn;
}

void RandomStrategy::begin(const ExecutionStart& start) {
  random_.reseed(start.seed);
  overdue_ = 0;
  times_.draw(random_, start);
  if (start.faults > 0) swarm_.draw(random_, start.fault_kinds);
  begin_events(start);
}

std::optional<std::uint32_t> RandomStrategy::last_fault(const fakezk::Menu& menu) {
  if (!count_choice()) {
    if (!times_.strikes_last(random_)) return std::nullopt;
    ++overdue_;
  }
  const std::optional<fakezk::Choice> fault = strike(menu);
  if (!fault) return std::nullopt;
  return fault->index;
}

std::optional<fakezk::Choice> RandomStrategy::strike(const fakezk::Menu& menu) {
  const fakezk::FaultKinds possible = menu.possible_faults().among(swarm_.kinds());
  if (possible == 0) return std::nullopt;
  --overdue_;
  const fakezk::FaultKind kind = draw_kind(possible);
  const std::span<const fakezk::Event> faults = menu.possible_faults().list_up_to(kind);
  std::uint32_t count = 0;
  for (const fakezk::Event& fault : faults) count += std::uint32_t{fault.fault == kind};
  std::uint32_t which = random_.below(count);
  const auto struck = std::ranges::find_if(
      faults, [&](const fakezk::Event& fault) { return fault.fault == kind && which-- == 0; });
  return fakezk::Choice{true, static_cast<std::uint32_t>(struck - faults.begin())};
}

fakezk::FaultKind RandomStrategy::draw_kind(fakezk::FaultKinds possible) {
  std::uint32_t all = 0;
  for (fakezk::FaultKinds left = possible; left != 0; left &= left - 1)
    all += weight_of_first(left);
  std::uint32_t drawn = random_.below(all);
  for (; drawn >= weight_of_first(possible); possible &= possible - 1) {
    drawn -= weight_of_first(possible);
  }
  return first(possible);
}

}  // namespace lockstep::search
