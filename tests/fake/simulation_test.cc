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

class SimulationTest : public SimulatedTest {};

TEST_F(SimulationTest, RunReturnsTheResultOrRethrowsTheException) {
  EXPECT_EQ(simulation_.run(give(3)), 3);
  EXPECT_THROW(simulation_.run(fail_with("x")), std::domain_error);
  const Started<int> started = simulation_.start(fail_with("x"));
  EXPECT_TRUE(started.done());
  EXPECT_THROW(static_cast<void>(started.result()), std::domain_error);
}

TEST_F(SimulationTest, ExceptionOfATaskWithoutResultIsThrownByTheRun) {
  Executor& executor = simulation_.client("A").executor();
  simulation_.start(fail_after(executor, 1s));
  EXPECT_THROW(simulation_.run(), std::domain_error);
  Simulation another;
  EXPECT_THROW(another.run(fail_after(another.client("A").executor(), 1s)), std::domain_error);
}

TEST_F(SimulationTest, ClientsWithOneNameAreOneProcess) {
  FakeClient& a = simulation_.client("A");
  EXPECT_NE(&a, &simulation_.client("B"));
  EXPECT_EQ(&a, &simulation_.client("A"));
  EXPECT_EQ(&simulation_.open("A")->executor(), &a.executor());
  EXPECT_NE(&simulation_.open("B")->executor(), &a.executor());
}

TEST_F(SimulationTest, DeadlockSaysWhoWaitsForWhat) {
  const auto session = simulation_.open("A");
  must(simulation_.run(create(*session, "/watched")), "create");
  const Watch watch = must(simulation_.run(watch_data(*session, "/watched")), "watch");
  simulation_.hold(*session, OpCode::kSetData);
  simulation_.start(ignore(set_data(*session, "/held", "x")));
  const std::string report =
      message_of<fake::Deadlock>([&] { simulation_.run(ignore(fired(watch))); });
  EXPECT_NE(report.find("\n  A waits for a change of /watched"), report.npos) << report;
  EXPECT_NE(report.find("\n  A waits for the reply to set_data /held"), report.npos) << report;
  simulation_.let_go(*session);
  simulation_.settle();
  must(simulation_.run(remove(*session, "/watched")), "remove");
}

// Otherwise the locks' own check would end the process, and nobody would read the deadlock.
TEST_F(SimulationTest, ADeadlockMayLeaveTheScopeOfTheLocksThatWait) {
  const auto ann = simulation_.open("Ann");
  const auto bob = simulation_.open("Bob");
  const auto wait_for_ever = [&] {
    FairMutex anns(*ann, "/lock");
    FairMutex bobs(*bob, "/lock");
    const auto held = simulation_.run(anns.acquire());
    const auto waits = simulation_.start(bobs.acquire());
    simulation_.run_until(waits);
  };
  EXPECT_THROW(wait_for_ever(), Deadlock);
  simulation_.settle();  // Both znodes are deleted in the background.
  EXPECT_EQ(children(simulation_, "/lock").size(), 0U);
}

TEST_F(SimulationTest, SettlingTakesNoTimeAndRunningTakesAsMuchAsNeeded) {
  const auto session = simulation_.open("A");
  const TimePoint start = simulation_.now();
  const auto slept = simulation_.start(connected(*session));
  simulation_.start(ignore(sync(*session, "/", simulation_.now() + 1h)));
  simulation_.settle();
  EXPECT_EQ(simulation_.now(), start);
  EXPECT_TRUE(slept.done());
  simulation_.start(fail_after(session->executor(), 2h));
  simulation_.advance(30min);
  EXPECT_EQ(simulation_.now(), start + 30min);
  EXPECT_THROW(simulation_.run(), std::domain_error);
  EXPECT_EQ(simulation_.now(), start + 2h);
}

TEST(SimulationDeathTest, ATimeThatTheClockCannotTellIsMisuse) {
  Simulation simulation;
  EXPECT_DEATH(simulation.advance(Duration::max()), "that its clock can tell");
  EXPECT_DEATH(simulation.advance(-1ns), "from zero");
}

TEST_F(SimulationTest, HeldRequestHoldsBackWhatWasSentAfterIt) {
  const auto session = simulation_.open("A");
  simulation_.hold(*session, OpCode::kCreate);
  const auto before = simulation_.start(sync(*session, "/"));
  const auto held = simulation_.start(create(*session, "/a"));
  const auto behind = simulation_.start(sync(*session, "/"));
  simulation_.advance(1min);
  EXPECT_TRUE(before.done());
  EXPECT_FALSE(held.done());
  EXPECT_FALSE(behind.done());
  EXPECT_FALSE(simulation_.exists("/a"));
  simulation_.let_go(*session);
  simulation_.settle();
  EXPECT_TRUE(held.done());
  EXPECT_TRUE(behind.done());
}

TEST_F(SimulationTest, Z125ACreateMayComeBetweenAListAndALaterDelete) {
  const auto ann = simulation_.open("Ann");
  const auto bob = simulation_.open("Bob");
  must(simulation_.run(create(*ann, "/parent")), "create");
  simulation_.hold(*ann, OpCode::kRemove);
  const auto list = simulation_.start(get_children(*ann, "/parent"));
  const auto removal = simulation_.start(remove(*ann, "/parent"));
  const auto list_behind = simulation_.start(get_children(*ann, "/parent"));
  must(simulation_.run(create(*bob, "/parent/child")), "create");
  simulation_.let_go(*ann);
  simulation_.settle();
  EXPECT_EQ(must(list.result(), "get_children").size(), 0U);
  EXPECT_EQ(error_of(removal.result()), Error::kNotEmpty);
  EXPECT_EQ(must(list_behind.result(), "get_children").size(), 1U);
}

TEST_F(SimulationTest, HeldInboxHoldsRepliesNotRequests) {
  const auto session = simulation_.open("A");
  simulation_.hold_inbox(*session);
  const auto created = simulation_.start(create(*session, "/a"));
  simulation_.settle();
  EXPECT_TRUE(simulation_.exists("/a"));
  EXPECT_FALSE(created.done());
  simulation_.let_go(*session);
  simulation_.settle();
  EXPECT_TRUE(created.done());
}

TEST_F(SimulationTest, TasksThatATestStartsItselfAreRun) {
  const auto session = simulation_.open("A");
  disconnect(simulation_, *session);
  std::stop_source stop;
  const auto first = simulation_.start(connected(*session, stop.get_token()));
  const auto second = simulation_.start(connected(*session, stop.get_token()));
  stop.request_stop();
  simulation_.run_until(first);
  EXPECT_EQ(error_of(first.result()), Error::kCancelled);
  simulation_.settle();
  EXPECT_TRUE(second.done());
}

Task<int> look_again_and_again(Executor& executor) {
  for (;;) static_cast<void>(co_await sleep_for(executor, 1s));
}

TEST_F(SimulationTest, ATaskThatNeverEndsIsReported) {
  Executor& executor = simulation_.client("A").executor();
  EXPECT_THROW(simulation_.run(look_again_and_again(executor)), Endless);
  EXPECT_THROW(simulation_.run(), Endless);
}

TEST_F(SimulationTest, UnfinishedTasksAreDestroyedWithTheSimulation) {
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

TEST_F(SimulationTest, CutThatAcceptsMoreRequestsThanThereAreAcceptsAll) {
  const auto session = simulation_.open("A");
  const auto created = simulation_.start(create(*session, "/a"));
  simulation_.cut(*session, 5);
  EXPECT_TRUE(simulation_.exists("/a"));
  simulation_.cut_late(*session, 5, 5);
  simulation_.run_until(created);
  EXPECT_EQ(error_of(created.result()), Error::kConnectionLoss);
}

}  // namespace
}  // namespace lockstep::fake
