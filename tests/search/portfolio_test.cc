#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "lockstep/fakezk/random_stream.h"
#include "lockstep/search/strategy.h"

namespace lockstep::fakezk {
namespace {

// A fault may always strike.
class AlwaysAFault final : public PossibleFaults {
 public:
  [[nodiscard]] std::span<const Event> list() const override { return kFaults; }

 private:
  static constexpr std::array kFaults = {
      Event{.kind = Event::Kind::kFault, .fault = FaultKind::kCut}};
};

bool strikes(search::Strategy& strategy, const search::ExecutionStart& start) {
  static constexpr std::array kEvents = {Event{.kind = Event::Kind::kApply},
                                         Event{.kind = Event::Kind::kDeliver}};
  const AlwaysAFault faults;
  const Menu menu(kEvents, faults);
  strategy.begin(start);
  for (std::uint32_t position = 0; position < 2 * start.calm_positions; ++position) {
    if (strategy.next(menu).fault) return true;
  }
  return false;
}

// The number that chose the member must not decide what the member does. Once, only one of five
// members had executions without a fault.
TEST(PortfolioTest, EveryMemberHasItsShareOfExecutionsWithoutAFault) {
  constexpr std::uint32_t kFifths = 5;
  constexpr int kExecutions = 100'000;
  constexpr std::array<std::uint32_t, 2> kCalmEvents = {10, 10};
  const std::unique_ptr<search::Strategy> portfolio = search::make_portfolio();
  std::array<double, kFifths> all{};
  std::array<double, kFifths> without{};
  for (std::uint64_t i = 0; i < kExecutions; ++i) {
    const std::uint64_t seed = mix(i);
    const std::uint32_t fifth = RandomStream(seed).below(kFifths);
    ++all[fifth];
    const search::ExecutionStart start{seed, 20, kCalmEvents, 2, bit(FaultKind::kCut)};
    if (!strikes(*portfolio, start)) ++without[fifth];
  }
  for (std::uint32_t fifth = 0; fifth < kFifths; ++fifth) {
    EXPECT_NEAR(without[fifth] / all[fifth], 1.0 / search::FaultTimes::kFaultFreeShare, 0.01)
        << fifth;
  }
}

}  // namespace
}  // namespace lockstep::fakezk
