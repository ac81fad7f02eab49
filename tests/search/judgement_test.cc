// Reports of hunts: none about sound recipes that were once blamed wrongly; for broken ones the
// contender, the violation and the step.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "hunting.h"

namespace lockstep::fakezk {
namespace {

// One execution of a hunt, with the default strategy.
class Hunted {
 public:
  Hunted(std::string_view scenario, lab::ScenarioSize size, const FaultPlan& faults,
         std::uint64_t seed) {
    search::ExecutionLimits limits{.faults = faults};
    searcher_.emplace(scenarios::find(scenario)->make(size), search::make_portfolio(), limits,
                      seed);
  }
  std::string broken_in(std::uint64_t execution, Tracer* tracer = nullptr) {
    violation = searcher_->run(execution, tracer).violation;
    return violation ? violation->oracle + ": " + violation->message : "";
  }
  // The first violation of its executions.
  std::string first_broken() {
    for (found_in = 0; found_in < 20'000; ++found_in) {
      const std::string broken = broken_in(found_in);
      if (!broken.empty()) return broken;
    }
    return "";
  }

  std::uint64_t found_in = 0;
  std::optional<search::Violation> violation;

 private:
  std::optional<search::Searcher> searcher_;
};

TEST(JudgementTest, ManyWaitersForOneZnodeAreNoLivelock) {
  Hunted many("unfair-mutex", {15, 1}, FaultPlan(), 1);
  for (std::uint64_t execution = 0; execution < 10; ++execution) {
    EXPECT_EQ(many.broken_in(execution), "") << execution;
  }
  EXPECT_EQ(Hunted("unfair-mutex-on-three-servers", {24, 1}, FaultPlan(), 1).broken_in(0), "");
}

TEST(JudgementTest, WakeOfAWriterWhoseServerStillShowsAReaderIsSound) {
  Hunted readers("read-write-lock-on-three-servers", {6, 2}, FaultPlan(), 9);
  EXPECT_EQ(readers.broken_in(5880), "");
}

TEST(JudgementTest, AThreadThatKnowsOfItsLossDoesNotEnter) {
  Hunted holders("recursive-read-write-lock-blocking", {3, 2}, FaultPlan::all(3), 202'463);
  EXPECT_EQ(holders.broken_in(9534), "");
}

TEST(JudgementTest, AClashOfUpgradersIsNoLateAcquire) {
  Hunted upgraders("recursive-read-write-lock", {3, 3}, FaultPlan::all(4), 251'768'770);
  EXPECT_EQ(upgraders.broken_in(275), "");
}

// The clean-up of an earlier attempt, which an operator's deletion has overtaken, deletes the znode
// of the next one while that is being released.
TEST(JudgementTest, ADeletionInFlightIsNotBlamedOnTheRelease) {
  Hunted unfair("unfair-mutex", {3, 3}, FaultPlan::all(4), 141'845'131);
  EXPECT_EQ(unfair.broken_in(9502), "");
}

// Records the deletions by servers for which clients have asked.
class Removals final : public Tracer {
 public:
  void step(const Step& step) override {
    if (step.applied && step.applied->op == OpCode::kRemove && !step.applied->has_error) {
      last = step.number;
    }
  }
  void note(std::uint32_t, std::string_view) override {}
  std::uint32_t last = 0;
};

TEST(JudgementTest, ForeignDeletionIsReportedInTheStepInWhichItIsCommitted) {
  Hunted aba("zoo-17-aba-release", {2, 2}, FaultPlan::all(2), 1);
  ASSERT_TRUE(aba.first_broken().starts_with("S4"));
  Removals removals;
  ASSERT_TRUE(aba.broken_in(aba.found_in, &removals).starts_with("S4"));
  EXPECT_EQ(aba.violation->step, removals.last);
}

TEST(JudgementTest, ProcessesHaveTheNamesOfTheLanes) {
  Hunted reentry("textbook-e-reentry", {2, 1}, FaultPlan::all(2), 7);
  const std::string broken = reentry.first_broken();
  const std::string end = ", which is expired, is still inside";
  EXPECT_TRUE(broken == "S2: B enters while A" + end || broken == "S2: A enters while B" + end)
      << broken;
}

TEST(JudgementTest, TheReportListsTheAwaitedContenders) {
  Hunted capacity("zoo-06-capacity-not-signalled", {2, 1}, FaultPlan::all(2), 1);
  const std::string broken = capacity.first_broken();
  EXPECT_NE(broken.find(" waits for a change of /lock/leases, and a change of /lock/locks/"),
            std::string::npos)
      << broken;
}

}  // namespace
}  // namespace lockstep::fakezk
