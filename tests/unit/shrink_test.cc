#include "lockstep/fakezk/explore/shrink.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hunting.h"
#include "lockstep/fakezk/explore/schedule.h"

namespace lockstep::fakezk {
namespace {

using unit::hunt_options;
using unit::kZoo01;
using unit::kZoo07;

// A violating schedule with many deviations that have nothing to do with it.
Found long_violation(std::string_view scenario) {
  const HuntOptions options = hunt_options(scenario, 0);
  Searcher searcher(options.make_program(), options.make_strategy(), options.limits, options.seed);
  for (std::uint64_t i = 1;; ++i) {
    Outcome outcome = searcher.run(i);
    if (outcome.violation && searcher.deviations().size() >= 10) {
      return Found{i, outcome, searcher.deviations()};
    }
  }
}

class ShrinkTest : public ::testing::TestWithParam<std::string_view> {
 protected:
  Shrunk shrink(std::vector<Deviation> deviations, std::uint32_t budget = 20'000) {
    return fakezk::shrink(*program_, options_.limits, "L1", std::move(deviations), budget);
  }
  Outcome replay(const std::vector<Deviation>& deviations) {
    World world(program_->servers());
    Replay schedule(deviations);
    return execute(world, *program_, schedule, options_.limits);
  }

  const HuntOptions options_ = hunt_options(GetParam(), 0);
  const std::unique_ptr<Program> program_ = options_.make_program();
  const Found found_ = long_violation(GetParam());
};

TEST_P(ShrinkTest, LeavesAHandfulOfDeviationsThatBreakTheSameGuarantee) {
  ASSERT_EQ(found_.outcome.violation->oracle, "L1");
  const Shrunk shrunk = shrink(found_.deviations);
  EXPECT_LE(shrunk.deviations.size(), 3U);
  EXPECT_LE(shrunk.outcome.steps, found_.outcome.steps);
  ASSERT_TRUE(shrunk.outcome.violation.has_value());
  EXPECT_EQ(shrunk.outcome.violation->oracle, "L1");
  const Outcome replayed = replay(shrunk.deviations);
  EXPECT_EQ(replayed.trace_hash, shrunk.outcome.trace_hash);
  EXPECT_EQ(replayed.violation->message, shrunk.outcome.violation->message);
}

TEST_P(ShrinkTest, IsDeterministic) {
  const Shrunk one = shrink(found_.deviations);
  const Shrunk other = shrink(found_.deviations);
  EXPECT_EQ(other.deviations, one.deviations);
  EXPECT_EQ(other.executions, one.executions);
  EXPECT_EQ(other.outcome.trace_hash, one.outcome.trace_hash);
}

TEST_P(ShrinkTest, LeavesNothingThatCouldBeLeftOut) {
  const Shrunk shrunk = shrink(found_.deviations);
  for (std::size_t i = 0; i < shrunk.deviations.size(); ++i) {
    std::vector<Deviation> fewer = shrunk.deviations;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    const Outcome outcome = replay(fewer);
    EXPECT_FALSE(outcome.violation && outcome.violation->oracle == "L1") << i;
  }
  const Shrunk again = shrink(shrunk.deviations);
  EXPECT_EQ(again.deviations, shrunk.deviations);
}

TEST_P(ShrinkTest, StaysWithinItsBudget) {
  for (const std::uint32_t budget : {1u, 2u, 20u}) {
    const Shrunk shrunk = shrink(found_.deviations, budget);
    EXPECT_LE(shrunk.executions, budget);
    EXPECT_LE(shrunk.deviations.size(), found_.deviations.size());
    EXPECT_EQ(replay(shrunk.deviations).violation->oracle, "L1");
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, ShrinkTest, ::testing::Values(kZoo01, kZoo07),
                         [](const auto& scenario) {
                           return std::string(scenario.param.substr(0, 3)) +
                                  std::string(scenario.param.substr(4, 2));
                         });

}  // namespace
}  // namespace lockstep::fakezk
