#include "lockstep/search/detours.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "hunting.h"
#include "lockstep/search/shrink.h"

namespace lockstep::search {
namespace {

// A scenario in a scene so large that its random schedules have hundreds of deviations.
class DetoursTest : public ::testing::Test {
 protected:
  static constexpr lab::ScenarioSize kLarge{6, 4};

  Trial run(const std::vector<fakezk::Deviation>& deviations, const std::vector<Detour>& detours) {
    return try_detours(world_, *program_, limits_, deviations, detours);
  }
  std::vector<fakezk::Deviation> random_schedule(std::uint64_t index) {
    Searcher searcher(scenario_.make(kLarge), make_random_walk(), limits_, 7);
    searcher.run(index);
    return searcher.deviations();
  }

  const scenarios::Scenario& scenario_ = *scenarios::find("fair-mutex");
  const ExecutionLimits limits_{.faults = fakezk::FaultPlan::all(2)};
  const std::unique_ptr<Program> program_ = scenario_.make(kLarge);
  fakezk::World world_{program_->servers()};
};

TEST_F(DetoursTest, NotingChangesNothing) {
  for (std::uint64_t index = 1; index < 20; ++index) {
    const std::vector<fakezk::Deviation> deviations = random_schedule(index);
    Replay replay(deviations);
    const Outcome plain = execute(world_, *program_, replay, limits_);
    const Trial noted = run(deviations, {});
    EXPECT_EQ(noted.outcome.trace_hash, plain.trace_hash);
    EXPECT_EQ(noted.deviations, deviations);
    EXPECT_EQ(noted.detours.size(), deviations.size());
  }
}

TEST_F(DetoursTest, TheNotedOnesRunAlmostAlwaysTheSameExecution) {
  int same = 0;
  for (std::uint64_t index = 1; index < 20; ++index) {
    const Trial noted = run(random_schedule(index), {});
    const Trial again = run({}, noted.detours);
    same += again.outcome.trace_hash == noted.outcome.trace_hash ? 1 : 0;
  }
  EXPECT_GE(same, 15);
}

TEST_F(DetoursTest, NoneIsTheDefaultSchedule) {
  const Trial trial = run({}, {});
  EXPECT_TRUE(trial.deviations.empty());
  EXPECT_TRUE(trial.detours.empty());
}

TEST_F(DetoursTest, ImpossibleOnesAreLeftOut) {
  const fakezk::Event never{fakezk::Event::Kind::kDeliver, fakezk::FaultKind::kCut, 4'000};
  const Trial noted = run(random_schedule(1), {});
  ASSERT_FALSE(noted.detours.empty());
  std::vector<Detour> detours;
  for (Detour detour : noted.detours) {
    detour.first = never;
    detours.push_back(detour);
  }
  EXPECT_FALSE(run({}, detours).outcome.violation);
}

// Collects the events of an execution.
class Events final : public fakezk::Tracer {
 public:
  void step(const fakezk::Step& step) override { all.push_back(step.event); }
  void note(std::uint32_t, std::string_view) override {}
  // Where an event has its turn; none if it has not.
  [[nodiscard]] std::optional<std::size_t> place(const fakezk::Event& event,
                                                 std::uint32_t turn) const {
    for (std::size_t at = 0; at < all.size(); ++at) {
      if (all[at] == event && turn-- == 0) return at;
    }
    return std::nullopt;
  }
  std::vector<fakezk::Event> all;
};

// How many of the detours hold in an execution.
std::size_t held(const std::vector<Detour>& detours, const Events& events) {
  const auto holds = [&](const Detour& detour) {
    if (detour.kind != Detour::Kind::kOrder) return false;
    const std::optional<std::size_t> at = events.place(detour.at, detour.turn);
    const std::optional<std::size_t> first = events.place(detour.first, detour.first_turn);
    return at && first && *first < *at;
  };
  return static_cast<std::size_t>(std::ranges::count_if(detours, holds));
}

// One of the first changes what the positions after it mean.
TEST_F(DetoursTest, WithoutOneOfTheFirstMoreOfTheOthersHoldThanByPosition) {
  std::size_t all = 0;
  std::size_t by_event = 0;
  std::size_t by_position = 0;
  for (std::uint64_t index = 1; index < 20; ++index) {
    std::vector<fakezk::Deviation> deviations = random_schedule(index);
    if (deviations.size() < 10) continue;
    std::vector<Detour> detours = run(deviations, {}).detours;
    deviations.erase(deviations.begin() + 2);
    detours.erase(detours.begin() + 2);
    Events events;
    const std::vector<fakezk::Deviation> none;
    DetourReplay by_events(none, detours);
    execute(world_, *program_, by_events, limits_, &events);
    Events events_by_position;
    Replay by_positions(deviations);
    execute(world_, *program_, by_positions, limits_, &events_by_position);
    all += detours.size();
    by_event += held(detours, events);
    by_position += held(detours, events_by_position);
  }
  EXPECT_GT(all, 1'000U);
  EXPECT_GT(by_event, by_position + all / 10);
}

}  // namespace
}  // namespace lockstep::search
