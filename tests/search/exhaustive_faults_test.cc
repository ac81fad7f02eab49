#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "lockstep/fair_mutex.h"
#include "lockstep/fake/session.h"
#include "lockstep/search/exhaustive.h"
#include "lockstep/search/schedule.h"
#include "plays.h"
#include "scenarios/registry.h"

// Faults are tried at every point where they make a difference.
namespace lockstep::search {
namespace {

using namespace unit;

Task<void> write_the_time(Actor& self) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->sync("/b"));
  const TimePoint now = self.client().executor().now();
  const std::string text = std::to_string(now.time_since_epoch().count());
  static_cast<void>(co_await (*session)->set_data("/a", Data(text)));
}

TEST(ExhaustiveFaultsTest, ReductionsAgreeOnStalls) {
  Play play({&write_once<'a'>, &write_once<'a'>});
  expect_agreement(play, "stall", 1);
  Play late({&sleep_and_write, &write_once<'a'>});
  expect_agreement(late, "stall", 1);
}

TEST(ExhaustiveFaultsTest, ReductionsAgreeOnCrashes) {
  Play play({&write_once<'a'>, &ephemeral});
  expect_agreement(play, "crash", 1);
}

TEST(ExhaustiveFaultsTest, ReductionsAgreeOnDriftingClocks) {
  Play play({&write_the_time, &sleep_and_write});
  expect_agreement(play, "clock-drift", 1);
}

TEST(ExhaustiveFaultsTest, ReductionsAgreeOnForeignDeletes) {
  Play play({&ephemeral, &ephemeral});
  expect_agreement(play, "foreign-delete", 1);
}

TEST(ExhaustiveFaultsTest, ReductionsAgreeOnTheClock) {
  Play play({&write_the_time, &ephemeral});
  expect_agreement(play, "expiry", 1);
  expect_needed(fakezk::ObjectKind::kClock, play, "expiry", 1);
}

TEST(ExhaustiveFaultsTest, ReductionsAgreeOnTwoExpiriesInOneBucket) {
  Play play({&ephemeral, &ephemeral});
  expect_agreement(play, "expiry", 2);
  expect_needed(fakezk::ObjectKind::kSession, play, "kill-session", 1);
}

TEST(ExhaustiveFaultsTest, ReductionsAgreeOnACutAndItsLosses) {
  Play play({&write_once<'a'>, &write_once<'b'>});
  expect_agreement(play, "cut", 1);
  expect_agreement(play, "cut", 2);
  expect_needed(fakezk::ObjectKind::kLink, play, "cut", 1);
}

TEST(ExhaustiveFaultsTest, TheBudgetIsShared) {
  Play play({&write_once<'a'>, &write_once<'b'>});
  expect_agreement(play, "cut,kill-session", 2);
  const ExhaustiveResult with = explore(play, Reduction::kSleep, "cut,kill-session", 2);
  const ExhaustiveResult without =
      explore(play, Reduction::kSleep, "cut,kill-session", 2, {fakezk::ObjectKind::kFaults});
  EXPECT_LT(without.traces, with.traces);
}

// The ends of clients have an order like other events: a fault can strike after one of them while
// the other goes on, and after both.
TEST(ExhaustiveFaultsTest, TheLastStepMayBeAFault) {
  Play play({&write_once<'a'>, &write_once<'b'>});
  // The cut of each client comes before its request is applied, before its reply arrives (and the
  // reply is lost or not), or after that.
  EXPECT_EQ(explore(play, Reduction::kSource, "cut", 1).traces, 1U + 2 * 4);
  Play alone({&write_once<'a'>});
  EXPECT_EQ(explore(alone, Reduction::kSource, "cut", 1).traces, 1U + 4);
}

Task<void> mind_its_end(Actor& self) {
  const auto session = co_await self.client().session(Context());
  const auto seen = co_await (*session)->get_data_watched("/a");
  if (!seen) co_return;
  const Result<WatchEvent> event = co_await seen->watch.fired();
  if (event) co_return;
  fakezk::World& world = self.client().process().world();
  self.verdict().report("user:end", "its session has ended", world.steps());
}

// A replay finds the violation again.
TEST(ExhaustiveFaultsTest, AFindingAtTheLastFaultCanBeReplayed) {
  Play play({&mind_its_end});
  for (const ReductionName& reduction : reductions()) {
    const ExhaustiveResult result = explore(play, reduction.reduction, "kill-session", 1);
    ASSERT_TRUE(result.found) << reduction.name;
    ExecutionLimits limits;
    limits.faults.allow(fakezk::FaultKind::kKillSession);
    limits.faults.set_total(1);
    fakezk::World world(play.servers());
    Replay replay(result.found->deviations);
    const Outcome again = execute(world, play, replay, limits);
    ASSERT_TRUE(again.violation) << format_deviations(result.found->deviations);
    EXPECT_EQ(again.violation->oracle, "user:end");
    EXPECT_EQ(again.steps, result.found->outcome.steps);
  }
}

// Opening a session before the clock moves or after it makes no difference to either.
TEST(ExhaustiveFaultsTest, TheClockMovesWhileASessionIsOpened) {
  Play play({&write_once<'a'>, &write_once<'b'>});
  expect_agreement(play, "crash,timer", 2);
}

TEST(ExhaustiveFaultsTest, AMutexIsSearchedThroughWithoutAndWithAFault) {
  lab::LockScenario scenario(scenarios::lock_scenario<FairMutex>(), lab::ScenarioSize{2, 1});
  expect_agreement(scenario);
  const ExhaustiveResult sleep = explore(scenario, Reduction::kSleep, "cut,kill-session", 1);
  const ExhaustiveResult source = explore(scenario, Reduction::kSource, "cut,kill-session", 1);
  EXPECT_TRUE(source.exhausted);
  EXPECT_EQ(source.traces, sleep.traces);
  EXPECT_EQ(source.trace_set_hash, sleep.trace_set_hash);
  EXPECT_EQ(source.state_hash, sleep.state_hash);
  EXPECT_GT(source.pairs_checked, 0U);
  ASSERT_EQ(source.traces_by_fault.size(), 2U);
  EXPECT_EQ(source.traces_by_fault[0].first, fakezk::FaultKind::kCut);
  EXPECT_GT(source.traces_by_fault[0].second, 0U);
}

void expect_same_as_sleep_sets(Program& program, std::string_view faults, std::uint32_t budget) {
  const ExhaustiveResult sleep = explore(program, Reduction::kSleep, faults, budget);
  const ExhaustiveResult source = explore(program, Reduction::kSource, faults, budget);
  EXPECT_TRUE(source.exhausted);
  EXPECT_EQ(source.final_states, sleep.final_states);
  EXPECT_EQ(source.state_hash, sleep.state_hash);
  EXPECT_EQ(source.traces, sleep.traces);
  EXPECT_EQ(source.trace_set_hash, sleep.trace_set_hash);
}

// Source sets show the same as sleep sets, also with a contender that gives up.
void expect_same_as_sleep_sets(std::string_view faults, std::uint32_t budget) {
  lab::LockScenario scenario(scenarios::lock_scenario<FairMutex, lab::LastContender::kImpatient>(),
                             lab::ScenarioSize{2, 1});
  expect_same_as_sleep_sets(scenario, faults, budget);
}

// The search does not forget a sleeping fault that a step makes impossible.
TEST(ExhaustiveFaultsTest, ReductionsAgreeOnFaultsThatAStepMakesImpossible) {
  expect_same_as_sleep_sets("clock-drift", 1);
}

// Nor does it forget a fault that a step prevents from becoming possible.
TEST(ExhaustiveFaultsTest, ReductionsAgreeOnFaultsThatAStepPrevents) {
  expect_same_as_sleep_sets("late-apply,timer", 2);
}

// Nor the last event while a process is stalled, if the process wakes before.
TEST(ExhaustiveFaultsTest, TheClockMovesOnWhileAProcessIsStalled) {
  expect_same_as_sleep_sets("stall", 2);
}

// Leaves its session, whose handshake may then be in flight, when it has another one.
Task<void> change_sessions(Actor& self) {
  const auto first = co_await self.client().session(Context());
  static_cast<void>(co_await (*first)->exists_watched("/b"));
  const std::shared_ptr<fake::FakeSession> left = self.client().leave_session();
  static_cast<void>(co_await self.client().session(Context()));
}

// Whether a connection is there to be given up, and what it still asks, depends on its server.
TEST(ExhaustiveFaultsTest, ReductionsAgreeOnAConnectionThatIsGivenUpDuringItsHandshake) {
  Play play({&change_sessions});
  expect_agreement(play, "expiry", 1);
  expect_agreement(play, "kill-session", 1);
  expect_agreement(play, "cut", 1);
}

// Drops its second session, which may have lost its connection and a create.
Task<void> drop_second_session(Actor& self) {
  const auto first = co_await self.client().session(Context());
  const auto second =
      std::make_shared<fake::FakeSession>(self.client().process(), std::chrono::seconds(4));
  static_cast<void>(co_await second->connected());
  static_cast<void>(co_await second->create("/n", Data(), CreateMode::kEphemeral));
  static_cast<void>(co_await (*first)->remove("/n"));
  static_cast<void>(co_await (*first)->exists("/k"));
}

Task<void> create_the_same(Actor& self) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->create("/n", Data(), CreateMode::kPersistent));
}

// The drop of a session ends its connection only until the server's welcome has come, so the late
// create depends on the drop in some orders and not in others.
TEST(ExhaustiveFaultsTest, ReductionsAgreeOnALateRequestOfASessionThatIsDropped) {
  Play play({&drop_second_session, &create_the_same});
  expect_same_as_sleep_sets(play, "late-apply", 1);
}

}  // namespace
}  // namespace lockstep::search
