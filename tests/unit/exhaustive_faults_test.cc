#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "lockstep/fair_mutex.h"
#include "lockstep/fake/scenario.h"
#include "lockstep/fakezk/explore/exhaustive.h"
#include "plays.h"

// Faults are tried at every point where they make a difference.
namespace lockstep::fakezk {
namespace {

using namespace unit;

Task<void> write_the_time(Actor& self) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->sync("/b"));
  const TimePoint now = self.client().executor().now();
  const std::string text = std::to_string(now.time_since_epoch().count());
  static_cast<void>(co_await (*session)->set_data("/a", Data(text)));
}

TEST(ExhaustiveFaultsTest, AProcessThatStalls) {
  Play play({&write_once<'a'>, &write_once<'a'>});
  expect_agreement(play, "stall", 1);
  Play late({&sleep_and_write, &write_once<'a'>});
  expect_agreement(late, "stall", 1);
}

TEST(ExhaustiveFaultsTest, AProcessThatCrashes) {
  Play play({&write_once<'a'>, &ephemeral});
  expect_agreement(play, "crash", 1);
}

TEST(ExhaustiveFaultsTest, AClockThatDrifts) {
  Play play({&write_the_time, &sleep_and_write});
  expect_agreement(play, "clock-drift", 1);
}

TEST(ExhaustiveFaultsTest, AnOperatorDeletes) {
  Play play({&ephemeral, &ephemeral});
  expect_agreement(play, "foreign-delete", 1);
}

TEST(ExhaustiveFaultsTest, TheClock) {
  Play play({&write_the_time, &ephemeral});
  expect_agreement(play, "expiry", 1);
  expect_needed(ObjectKind::kClock, play, "expiry", 1);
}

TEST(ExhaustiveFaultsTest, TwoExpiriesInOneBucket) {
  Play play({&ephemeral, &ephemeral});
  expect_agreement(play, "expiry", 2);
  expect_needed(ObjectKind::kSession, play, "kill-session", 1);
}

TEST(ExhaustiveFaultsTest, ACutAndWhatItLoses) {
  Play play({&write_once<'a'>, &write_once<'b'>});
  expect_agreement(play, "cut", 1);
  expect_agreement(play, "cut", 2);
  expect_needed(ObjectKind::kLink, play, "cut", 1);
}

TEST(ExhaustiveFaultsTest, TheBudgetIsShared) {
  Play play({&write_once<'a'>, &write_once<'b'>});
  expect_agreement(play, "cut,kill-session", 2);
}

TEST(ExhaustiveFaultsTest, AMutexIsSearchedThroughWithoutAndWithAFault) {
  fake::LockScenario scenario(&fake::contend_briefly_for<FairMutex>, fake::ScenarioSize{2, 1});
  expect_agreement(scenario);
  const ExhaustiveResult sleep = search(scenario, Reduction::kSleep, "cut,kill-session", 1);
  const ExhaustiveResult source = search(scenario, Reduction::kSource, "cut,kill-session", 1);
  EXPECT_TRUE(source.exhausted);
  EXPECT_EQ(source.traces, sleep.traces);
  EXPECT_EQ(source.state_hash, sleep.state_hash);
  // Without the faults in the footprints some are overlooked, although all final states are seen.
  const ExhaustiveResult without =
      search(scenario, Reduction::kSleep, "cut,kill-session", 1, {ObjectKind::kFaults});
  EXPECT_LT(without.traces, sleep.traces);
  EXPECT_GT(source.pairs_checked, 0U);
  ASSERT_EQ(source.traces_by_fault.size(), 2U);
  EXPECT_EQ(source.traces_by_fault[0].first, FaultKind::kCut);
  EXPECT_GT(source.traces_by_fault[0].second, 0U);
}

// Source sets see what sleep sets see, also with a contender that gives up.
void expect_same_as_sleep_sets(std::string_view faults, std::uint32_t budget) {
  fake::LockScenario scenario(&fake::contend_briefly_for<FairMutex>, fake::ScenarioSize{2, 1},
                              fake::LastContender::kImpatient);
  const ExhaustiveResult sleep = search(scenario, Reduction::kSleep, faults, budget);
  const ExhaustiveResult source = search(scenario, Reduction::kSource, faults, budget);
  EXPECT_TRUE(source.exhausted);
  EXPECT_EQ(source.final_states, sleep.final_states);
  EXPECT_EQ(source.state_hash, sleep.state_hash);
  EXPECT_EQ(source.traces, sleep.traces);
}

// A fault that sleeps is not forgotten when a step makes it impossible.
TEST(ExhaustiveFaultsTest, OneThatAStepMakesImpossible) {
  expect_same_as_sleep_sets("clock-drift", 1);
}

// Nor is one that a step keeps from ever becoming possible.
TEST(ExhaustiveFaultsTest, OneThatIsKeptFromBecomingPossible) {
  expect_same_as_sleep_sets("late-apply,timer", 2);
}

// Nor what happens at last while a process is stalled, if it wakes before.
TEST(ExhaustiveFaultsTest, TheClockMovesOnWhileAProcessIsStalled) {
  expect_same_as_sleep_sets("stall", 2);
}

}  // namespace
}  // namespace lockstep::fakezk
