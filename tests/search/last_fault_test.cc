// A fault can be the last event of an execution: nothing else can happen, but it has effects.
#include <gtest/gtest.h>

#include <memory>

#include "hunting.h"
#include "lockstep/search/schedule.h"
#include "lockstep/search/shrink_scenario.h"
#include "plays.h"

namespace lockstep::search {
namespace {

using unit::Actor;
using unit::Play;

// Nothing happens after the reply to its create, unless a fault strikes.
Task<void> mind_its_end_when_done(Actor& self) {
  const auto session = co_await self.client().session(Context());
  if (!session) co_return;
  auto seen = co_await (*session)->get_data_watched("/a");
  const auto created = co_await (*session)->create("/d", "0", CreateMode::kPersistent);
  if (!seen || !created) co_return;
  const Result<WatchEvent> event = co_await seen->watch.fired();
  if (event) co_return;
  const fakezk::World& world = self.client().process().world();
  self.verdict().report("user:end", "its session has ended", world.steps());
}

// The same, unless a fault has struck before it waits.
Task<void> mind_its_end_after_a_calm(Actor& self) {
  const auto session = co_await self.client().session(Context());
  auto seen = co_await (*session)->get_data_watched("/a");
  const fakezk::World& world = self.client().process().world();
  if (!seen || world.kinds_injected() != 0) co_return;
  const Result<WatchEvent> event = co_await seen->watch.fired();
  if (!event) self.verdict().report("user:end", "its session has ended", world.steps());
}

HuntOptions options_with(const StrategyName& strategy, std::uint32_t faults) {
  HuntOptions options;
  options.limits.faults.allow(fakezk::FaultKind::kKillSession);
  options.limits.faults.set_total(faults);
  options.seed = 7;
  options.executions = 500;
  options.make_program = [] {
    return std::make_unique<Play>(std::vector<unit::Act>{&mind_its_end_when_done});
  };
  options.make_strategy = strategy.make;
  return options;
}

TEST(LastFaultTest, EveryStrategyTriesIt) {
  for (const StrategyName& strategy : strategies()) {
    const HuntOptions options = options_with(strategy, 1);
    const HuntResult result = unit::hunt(options);
    ASSERT_TRUE(result.found) << strategy.name;
    EXPECT_EQ(result.found->outcome.violation->oracle, "user:end") << strategy.name;
    const std::unique_ptr<Program> program = options.make_program();
    fakezk::World world(program->servers());
    Replay replay(result.found->deviations);
    const Outcome again = execute(world, *program, replay, options.limits);
    EXPECT_EQ(again.trace_hash, result.found->outcome.trace_hash) << strategy.name;
  }
}

TEST(LastFaultTest, NoneStrikesWithoutABudget) {
  for (const StrategyName& strategy : strategies()) {
    EXPECT_FALSE(unit::hunt(options_with(strategy, 0)).found) << strategy.name;
  }
}

// Other kinds had been allowed, too.
TEST(LastFaultTest, StrikesAgainOnceOnlyItsKindIsAllowed) {
  HuntOptions options = options_with(strategies().front(), 2);
  options.limits.faults.allow(fakezk::FaultKind::kCut);
  options.limits.faults.allow(fakezk::FaultKind::kClockDrift);
  options.make_program = [] {
    return std::make_unique<Play>(std::vector<unit::Act>{&mind_its_end_after_a_calm});
  };
  const HuntResult result = unit::hunt(options);
  ASSERT_TRUE(result.found);
  const Scene scene{"play", 1, 1,
                    [&](std::uint32_t, std::uint32_t) { return options.make_program(); }};
  const ShrunkScene shrunk =
      shrink_scene(scene, options.limits, "user:end", result.found->deviations);
  EXPECT_EQ(shrunk.limits.faults.total(), 1U);
  EXPECT_EQ(shrunk.limits.faults.kinds(), bit(fakezk::FaultKind::kKillSession));
  ASSERT_EQ(shrunk.schedule.deviations.size(), 1U);
  EXPECT_TRUE(shrunk.schedule.deviations.front().choice.fault);
}

}  // namespace
}  // namespace lockstep::search
