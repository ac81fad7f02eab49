#include "lockstep/search/exhaustive.h"

#include <gtest/gtest.h>

#include <string>

#include "lockstep/fair_mutex.h"
#include "lockstep/sleep.h"
#include "plays.h"
#include "scenarios/registry.h"

namespace lockstep::search {
namespace {

using namespace unit;
using namespace std::chrono_literals;

Task<void> watch_two(Actor& self) {
  const auto session = co_await self.client().session(Context());
  const auto a = co_await (*session)->get_data_watched("/a");
  const auto b = co_await (*session)->get_data_watched("/b");
  static_cast<void>(co_await a->watch.fired());
  static_cast<void>(co_await b->watch.fired());
}

// Records what another process has done in between.
Task<void> count_in_memory(Actor& self) {
  const auto session = co_await self.client().session(Context());
  const int before = self.shared++;
  static_cast<void>(co_await (*session)->sync("/a"));
  const int after = self.shared++;
  const std::string seen = std::to_string(before) + std::to_string(after);
  const std::string path = "/" + self.client().name();
  static_cast<void>(co_await (*session)->create(Path(path), Data(seen), CreateMode::kPersistent));
}

Task<void> note_reply(Session& session, char mark, std::string& seen) {
  static_cast<void>(co_await session.sync("/b"));
  seen.push_back(mark);
}

Task<void> report_to_judge(Actor& self) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->sync("/b"));
  fakezk::World& world = self.client().process().world();
  if (fakezk::FootprintRecorder* const recorder = world.recorder())
    recorder->writes(fakezk::ObjectKind::kOracle);
  if (++self.shared == 1 && self.client().name() == "A") {  // On the default schedule B is.
    self.verdict().report("user:order", "A was first", world.steps());
  }
}

// Opens a second session of its process during the search.
Task<void> open_another(Actor& self) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->close());
  const auto next = co_await self.client().session(Context());
  const std::string path = "/" + self.client().name();
  static_cast<void>(co_await (*next)->create(Path(path), Data(), CreateMode::kEphemeral));
}

// Two sessions of one process: only the process knows which one is answered first.
Task<void> ask_twice(Actor& self) {
  const auto session = co_await self.client().session(Context());
  fake::FakeClient second(self.client().process(), "second");
  const auto other = co_await second.session(Context());
  std::string seen;
  TaskSet both;
  both.spawn(note_reply(**session, '1', seen));
  both.spawn(note_reply(**other, '2', seen));
  while (seen.size() < 2) static_cast<void>(co_await sleep_for(self.client().executor(), 1s));
  static_cast<void>(co_await (*session)->set_data("/a", Data(seen)));
}

TEST(ExhaustiveTest, StepsOnDisjointZnodesAreOneTrace) {
  Play play({&write_once<'a'>, &write_once<'b'>, &write_once<'c'>});
  EXPECT_EQ(explore(play, Reduction::kSource).traces, 1U);
  EXPECT_EQ(explore(play, Reduction::kSleep).traces, 1U);
  EXPECT_EQ(explore(play, Reduction::kNone).traces, 90U);  // 6! / 2!^3
}

TEST(ExhaustiveTest, WritesOfOneZnodeAreTriedInEveryOrder) {
  Play play({&write_once<'a'>, &write_once<'a'>, &write_once<'a'>});
  EXPECT_EQ(explore(play, Reduction::kSource).traces, 6U);
  expect_agreement(play);
  expect_needed(fakezk::ObjectKind::kZnode, play);
}

TEST(ExhaustiveTest, ReductionsAgreeOnTwoWatchesOfOneSession) {
  Play play({&watch_two, &write_once<'a'>, &write_once<'b'>});
  expect_agreement(play);
  expect_needed(fakezk::ObjectKind::kInbox, play);
}

TEST(ExhaustiveTest, ReductionsAgreeOnUserMemory) {
  Play play({&count_in_memory, &count_in_memory}, false);
  expect_agreement(play);
  expect_needed(fakezk::ObjectKind::kUserMemory, play);
}

TEST(ExhaustiveTest, ReductionsAgreeOnRacingTimers) {
  Play play({&sleep_and_write, &sleep_and_write});
  expect_agreement(play);
}

TEST(ExhaustiveTest, ReductionsAgreeOnTheMemoryOfAProcess) {
  Play play({&ask_twice});
  expect_agreement(play);
  expect_needed(fakezk::ObjectKind::kProcess, play);
}

TEST(ExhaustiveTest, ReductionsAgreeOnSessionsOpenedMeanwhile) {
  Play play({&open_another, &open_another});
  expect_agreement(play);
  expect_needed(fakezk::ObjectKind::kSessionTable, play);
  expect_needed(fakezk::ObjectKind::kLinkTable, play);
}

// A judge whose verdict depends on the order in which two processes come.
TEST(ExhaustiveTest, FootprintsContainTheMemoryOfAnOracle) {
  Play play({&report_to_judge, &report_to_judge});
  EXPECT_TRUE(explore(play, Reduction::kSource).found);
  EXPECT_TRUE(explore(play, Reduction::kSleep).found);
  EXPECT_FALSE(explore(play, Reduction::kSource, "none", 0, {fakezk::ObjectKind::kOracle}).found);
}

TEST(ExhaustiveTest, EndsOnRequest) {
  lab::LockScenario scenario(scenarios::lock_scenario<FairMutex>(), lab::ScenarioSize{3, 1});
  ExhaustiveOptions options;
  options.limits.faults = fakezk::FaultPlan::all(2);
  options.keep_going = [](std::uint64_t executions) { return executions < 5'000; };
  const ExhaustiveResult result = search_exhaustively(scenario, options);
  EXPECT_FALSE(result.exhausted);
  EXPECT_FALSE(result.found);
  EXPECT_EQ(result.budgets_finished, 1U);
  EXPECT_EQ(result.fault_budget, 0U);
}

TEST(ExhaustiveTest, EndsAfterExactlyTheGivenNumberOfExecutions) {
  lab::LockScenario scenario(scenarios::lock_scenario<FairMutex>(), lab::ScenarioSize{2, 1});
  for (const ReductionName& reduction : reductions()) {
    ExhaustiveOptions options;
    options.reduction = reduction.reduction;
    options.limits.faults = fakezk::FaultPlan::all(1);
    for (const std::uint64_t executions : {1, 2, 300}) {
      options.executions = executions;
      const ExhaustiveResult result = search_exhaustively(scenario, options);
      EXPECT_EQ(result.executions, executions) << reduction.name;
      EXPECT_FALSE(result.exhausted);
      EXPECT_EQ(result.fault_budget_reached, result.budgets_finished);
    }
  }
}

TEST(ExhaustiveTest, ANumberThatIsJustEnoughExhaustsIt) {
  lab::LockScenario scenario(scenarios::lock_scenario<FairMutex>(), lab::ScenarioSize{2, 1});
  ExhaustiveOptions options;
  const ExhaustiveResult all = search_exhaustively(scenario, options);
  ASSERT_TRUE(all.exhausted);
  options.executions = all.executions;
  EXPECT_TRUE(search_exhaustively(scenario, options).exhausted);
  options.executions = all.executions - 1;
  EXPECT_FALSE(search_exhaustively(scenario, options).exhausted);
}

}  // namespace
}  // namespace lockstep::search
