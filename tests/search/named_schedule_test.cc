#include "lockstep/search/named_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hunting.h"
#include "lockstep/search/schedule.h"
#include "lockstep/search/shrink.h"
#include "lockstep/search/trials.h"

namespace lockstep::search {
namespace {

using unit::hunt_options;

class NamedScheduleTest : public ::testing::Test {
 protected:
  Trial by_position(const std::vector<fakezk::Deviation>& deviations) {
    Replay replay(deviations);
    return try_schedule(world_, *program_, replay, options_.limits);
  }
  Trial by_names(const NamedSchedule& named) {
    NamedReplay replay(world_, named);
    return try_schedule(world_, *program_, replay, options_.limits);
  }

  static HuntOptions options() {
    HuntOptions all = hunt_options(unit::kZoo07, 0);
    all.limits.faults = fakezk::FaultPlan::all(3);
    return all;
  }

  const HuntOptions options_ = options();
  const std::unique_ptr<Program> program_ = options_.make_program();
  fakezk::World world_{program_->servers()};
};

TEST_F(NamedScheduleTest, RepeatsAnExecutionExactly) {
  Searcher searcher(options_.make_program(), options_.make_strategy(), options_.limits, 1);
  for (std::uint64_t i = 1; i <= 300; ++i) {
    const Outcome outcome = searcher.run(i);
    const Trial trial = by_position(searcher.deviations());
    ASSERT_EQ(trial.outcome.trace_hash, outcome.trace_hash) << i;
    ASSERT_EQ(trial.named.size(), trial.deviations.size()) << i;
    const Trial again = by_names(trial.named);
    ASSERT_EQ(again.outcome.trace_hash, outcome.trace_hash) << i;
    ASSERT_EQ(again.deviations, trial.deviations) << i;
    ASSERT_EQ(again.named, trial.named) << i;
  }
}

TEST_F(NamedScheduleTest, PassesOverEventsThatCannotHappen) {
  NamedSchedule nonsense(3);
  nonsense[0].place.event = {fakezk::Event::Kind::kApply, fakezk::FaultKind::kCut, 0};
  nonsense[0].instead = {fakezk::Event::Kind::kGoOn, fakezk::FaultKind::kCut, 77};
  nonsense[1].place = nonsense[0].place;
  nonsense[1].instead = {fakezk::Event::Kind::kFault, fakezk::FaultKind::kLag, 5};
  nonsense[2].place.times = 1'000'000;
  const Trial trial = by_names(nonsense);
  EXPECT_EQ(trial.outcome.trace_hash, by_position({}).outcome.trace_hash);
  EXPECT_TRUE(trial.deviations.empty());
  EXPECT_TRUE(trial.named.empty());
}

// Once, dropping any deviation of a schedule of threads changed what the later ones meant: of 132,
// 76 were left.
TEST(ShrinkNamedTest, DeviationsKeepTheirMeaningByName) {
  constexpr std::uint32_t kMany = 130;
  NamedSchedule named(kMany);
  std::vector<fakezk::Deviation> deviations(kMany);
  for (std::uint32_t i = 0; i < kMany; ++i) {
    named[i].place.times = i;
    deviations[i] = {.position = 10 * i, .choice = {.index = 1}};
  }
  const auto trial = [&](const NamedSchedule& of, bool breaks) {
    Trial tried{{}, {deviations.begin(), deviations.begin() + static_cast<long>(of.size())}, of};
    tried.outcome.steps = 1'200;
    if (breaks) tried.outcome.violation = Violation{"L1", "", 0};
    return tried;
  };
  const TrySchedule run = [&](const std::vector<fakezk::Deviation>& candidate) {
    return trial(named, candidate.size() == kMany);
  };
  const TryNamed run_named = [&](const NamedSchedule& candidate) {
    const auto times = [](const NamedDeviation& deviation) { return deviation.place.times; };
    const auto has = [&](std::uint32_t i) { return std::ranges::count(candidate, i, times) > 0; };
    return trial(candidate, has(17) && has(64) && has(65));
  };
  const ShrinkBudget budget{.executions = 600};
  EXPECT_EQ(shrink(run, run_named, "L1", deviations, budget).deviations.size(), 3U);
}

}  // namespace
}  // namespace lockstep::search
