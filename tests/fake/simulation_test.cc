#include "lockstep/fake/simulation.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "lockstep/fair_mutex.h"
#include "lockstep/sleep.h"
#include "support/by_hand.h"

namespace lockstep::fake {
namespace {

using namespace unit;

Task<int> give(int value) { co_return value; }
Task<int> fail_with(std::string what) {
  throw std::domain_error(what);
  co_return 0;
}
Task<void> fail_after(Executor& executor, Duration delay) {
  static_cast<void>(co_await sleep_for(executor, delay));
  throw std::domain_error("late");
}

TEST(SimulationTest, RunReturnsTheResultOrRethrowsTheException) {
  Simulation simulation;
  EXPECT_EQ(simulation.run(give(3)), 3);
  EXPECT_THROW(simulation.run(fail_with("x")), std::domain_error);
  const Started<int> started = simulation.start(fail_with("x"));
  EXPECT_TRUE(started.done());
  EXPECT_THROW(static_cast<void>(started.result()), std::domain_error);
}

TEST(SimulationTest, ExceptionOfATaskWithoutResultIsThrownByTheRun) {
  Simulation simulation;
  Executor& executor = simulation.client("A").executor();
  simulation.start(fail_after(executor, 1s));
  EXPECT_THROW(simulation.run(), std::domain_error);
  Simulation another;
  EXPECT_THROW(another.run(fail_after(another.client("A").executor(), 1s)), std::domain_error);
}

TEST(SimulationTest, ClientsWithOneNameAreOneProcess) {
  Simulation simulation;
  FakeClient& a = simulation.client("A");
  EXPECT_NE(&a, &simulation.client("B"));
  EXPECT_EQ(&a, &simulation.client("A"));
  EXPECT_EQ(&simulation.open("A")->executor(), &a.executor());
  EXPECT_NE(&simulation.open("B")->executor(), &a.executor());
}

TEST(SimulationTest, DeadlockSaysWhoWaitsForWhat) {
  Simulation simulation;
  const auto session = simulation.open("A");
  must(simulation.run(create(*session, "/watched")), "create");
  const Watch watch = must(simulation.run(watch_data(*session, "/watched")), "watch");
  simulation.hold(*session, OpCode::kSetData);
  simulation.start(ignore(set_data(*session, "/held", "x")));
  try {
    simulation.run(ignore(fired(watch)));
    ADD_FAILURE() << "no deadlock";
  } catch (const Deadlock& deadlock) {
    const std::string report = deadlock.what();
    EXPECT_NE(report.find("\n  A waits for a change of /watched"), report.npos) << report;
    EXPECT_NE(report.find("\n  A waits for the reply to set_data /held"), report.npos) << report;
  }
  simulation.let_go(*session);
  simulation.settle();
  must(simulation.run(remove(*session, "/watched")), "remove");
}

// Otherwise the locks' own check would end the process, and nobody would read the deadlock.
TEST(SimulationTest, ADeadlockMayLeaveTheScopeOfTheLocksThatWait) {
  Simulation simulation;
  const auto ann = simulation.open("Ann");
  const auto bob = simulation.open("Bob");
  const auto wait_for_ever = [&] {
    FairMutex anns(*ann, "/lock");
    FairMutex bobs(*bob, "/lock");
    const auto held = simulation.run(anns.acquire());
    const auto waits = simulation.start(bobs.acquire());
    simulation.run_until(waits);
  };
  EXPECT_THROW(wait_for_ever(), Deadlock);
  simulation.settle();  // Both znodes are deleted in the background.
  EXPECT_EQ(children(simulation, "/lock").size(), 0U);
}

TEST(SimulationTest, SettlingTakesNoTimeAndRunningTakesAsMuchAsNeeded) {
  Simulation simulation;
  const auto session = simulation.open("A");
  const TimePoint start = simulation.now();
  const auto slept = simulation.start(connected(*session));
  simulation.start(ignore(sync(*session, "/", simulation.now() + 1h)));
  simulation.settle();
  EXPECT_EQ(simulation.now(), start);
  EXPECT_TRUE(slept.done());
  simulation.start(fail_after(session->executor(), 2h));
  simulation.advance(30min);
  EXPECT_EQ(simulation.now(), start + 30min);
  EXPECT_THROW(simulation.run(), std::domain_error);
  EXPECT_EQ(simulation.now(), start + 2h);
}

TEST(SimulationDeathTest, ATimeThatTheClockCannotTellIsMisuse) {
  Simulation simulation;
  EXPECT_DEATH(simulation.advance(Duration::max()), "that its clock can tell");
  EXPECT_DEATH(simulation.advance(-1ns), "from zero");
}

TEST(SimulationTest, HeldRequestHoldsBackWhatWasSentAfterIt) {
  Simulation simulation;
  const auto session = simulation.open("A");
  simulation.hold(*session, OpCode::kCreate);
  const auto before = simulation.start(sync(*session, "/"));
  const auto held = simulation.start(create(*session, "/a"));
  const auto behind = simulation.start(sync(*session, "/"));
  simulation.advance(1min);
  EXPECT_TRUE(before.done());
  EXPECT_FALSE(held.done());
  EXPECT_FALSE(behind.done());
  EXPECT_FALSE(simulation.exists("/a"));
  simulation.let_go(*session);
  simulation.settle();
  EXPECT_TRUE(held.done());
  EXPECT_TRUE(behind.done());
}

TEST(SimulationTest, Z125ACreateMayComeBetweenAListAndALaterDelete) {
  Simulation simulation;
  const auto ann = simulation.open("Ann");
  const auto bob = simulation.open("Bob");
  must(simulation.run(create(*ann, "/parent")), "create");
  simulation.hold(*ann, OpCode::kRemove);
  const auto list = simulation.start(get_children(*ann, "/parent"));
  const auto removal = simulation.start(remove(*ann, "/parent"));
  const auto list_behind = simulation.start(get_children(*ann, "/parent"));
  must(simulation.run(create(*bob, "/parent/child")), "create");
  simulation.let_go(*ann);
  simulation.settle();
  EXPECT_EQ(must(list.result(), "get_children").size(), 0U);
  EXPECT_EQ(error_of(removal.result()), Error::kNotEmpty);
  EXPECT_EQ(must(list_behind.result(), "get_children").size(), 1U);
}

TEST(SimulationTest, HeldInboxHoldsRepliesNotRequests) {
  Simulation simulation;
  const auto session = simulation.open("A");
  simulation.hold_inbox(*session);
  const auto created = simulation.start(create(*session, "/a"));
  simulation.settle();
  EXPECT_TRUE(simulation.exists("/a"));
  EXPECT_FALSE(created.done());
  simulation.let_go(*session);
  simulation.settle();
  EXPECT_TRUE(created.done());
}

TEST(SimulationTest, TasksThatATestStartsItselfAreRun) {
  Simulation simulation;
  const auto session = simulation.open("A");
  disconnect(simulation, *session);
  std::stop_source stop;
  const auto first = simulation.start(connected(*session, stop.get_token()));
  const auto second = simulation.start(connected(*session, stop.get_token()));
  stop.request_stop();
  simulation.run_until(first);
  EXPECT_EQ(error_of(first.result()), Error::kCancelled);
  simulation.settle();
  EXPECT_TRUE(second.done());
}

Task<int> look_again_and_again(Executor& executor) {
  for (;;) static_cast<void>(co_await sleep_for(executor, 1s));
}

TEST(SimulationTest, ATaskThatNeverEndsIsReported) {
  Simulation simulation;
  Executor& executor = simulation.client("A").executor();
  EXPECT_THROW(simulation.run(look_again_and_again(executor)), Endless);
  EXPECT_THROW(simulation.run(), Endless);
}

TEST(SimulationTest, UnfinishedTasksAreDestroyedWithTheSimulation) {
  const auto shared = std::make_shared<int>(1);
  {
    Simulation simulation;
    const auto wait = [](Executor& executor, std::shared_ptr<int> held) -> Task<int> {
      static_cast<void>(co_await sleep_for(executor, 1h));
      co_return *held;
    };
    const auto started = simulation.start(wait(simulation.client("A").executor(), shared));
    simulation.settle();
    EXPECT_FALSE(started.done());
    EXPECT_EQ(shared.use_count(), 2);
  }
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(SimulationTest, CutThatAcceptsMoreRequestsThanThereAreAcceptsAll) {
  Simulation simulation;
  const auto session = simulation.open("A");
  const auto created = simulation.start(create(*session, "/a"));
  simulation.cut(*session, 5);
  EXPECT_TRUE(simulation.exists("/a"));
  simulation.cut_late(*session, 5, 5);
  simulation.run_until(created);
  EXPECT_EQ(error_of(created.result()), Error::kConnectionLoss);
}

}  // namespace
}  // namespace lockstep::fake
