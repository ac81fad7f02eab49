#include "lockstep/fakezk/endless.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "lockstep/fair_mutex.h"
#include "lockstep/lab/contend_for.h"
#include "lockstep/lab/hunt.h"
#include "lockstep/lab/replay.h"
#include "lockstep/search/schedule.h"
#include "lockstep/sleep.h"
#include "scenarios/registry.h"
#include "support/by_hand.h"

// Code under test that runs forever, while nothing happens in the world.
namespace lockstep::lab {
namespace {

using namespace std::chrono_literals;
using search::Outcome;

// Posts itself that many times.
class Again final : public Runnable {
 public:
  Again(Executor& executor, std::uint32_t times) : executor_(executor), left_(times) {
    executor_.post(*this);
  }
  ~Again() override { executor_.withdraw(*this); }
  void run() override {
    if (--left_ > 0) executor_.post(*this);
  }

 private:
  Executor& executor_;
  std::uint32_t left_;
};
constexpr std::uint32_t kForEver = 0xffffffff;

Task<int> seven() { co_return 7; }

Task<void> await_what_is_ready(std::uint32_t times) {
  for (std::uint32_t i = 0; i < times; ++i) static_cast<void>(co_await seven());
}

// After a fault, the contender asks again and again, and ignores the answer.
Task<void> ask_until_it_works(Contender& self, Path lock, std::uint32_t) {
  const auto session = co_await self.client().session(Context());
  if (!session) co_return;
  while (!co_await (*session)->exists(lock)) {
  }
}

Task<void> post_for_ever(Contender& self, Path lock, std::uint32_t) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->exists(lock));
  const Again again(self.client().executor(), kForEver);
  static_cast<void>(co_await (*session)->exists(lock));
}

Task<void> await_for_ever(Contender& self, Path lock, std::uint32_t) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->exists(lock));
  co_await await_what_is_ready(kForEver);
}

// Its time is over, but it does not check.
Task<void> sleep_for_ever(Executor& executor) {
  for (;;) static_cast<void>(co_await sleep_for(executor, 1s, Context(executor.now())));
}

Task<void> sleep_without_time(Contender& self, Path lock, std::uint32_t) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->exists(lock));
  co_await sleep_for_ever(self.client().executor());
}

Task<void> await_before_anything_happens(Contender&, Path, std::uint32_t) {
  co_await await_what_is_ready(kForEver);
}

// Does as much as is allowed.
Task<void> work_hard(Contender& self, Path lock, std::uint32_t rounds) {
  const Again again(self.client().executor(), 40'000);
  co_await await_what_is_ready(25'000);
  co_await contend_briefly_for<FairMutex>(self, lock, rounds);
}

// Does more in total, but always with an end.
Task<void> work_in_every_step(Contender& self, Path lock, std::uint32_t rounds) {
  const auto session = co_await self.client().session(Context());
  Executor& executor = self.client().executor();
  for (int request = 0; request < 20; ++request) {
    for (int i = 0; i < 10'000; ++i) {
      static_cast<void>(co_await sleep_for(executor, 1s, Context(executor.now())));
    }
    static_cast<void>(co_await (*session)->exists(lock));
  }
  co_await contend_briefly_for<FairMutex>(self, lock, rounds);
}

Outcome run_once(LockScenario::Contend contend) {
  LockScenario program(scenarios::contention(contend), ScenarioSize{2, 1});
  fakezk::World world(program.servers());
  fakezk::Calm calm;
  return execute(world, program, calm, search::ExecutionLimits());
}

void expect_livelock(LockScenario::Contend contend, const std::string& message) {
  const Outcome outcome = run_once(contend);
  ASSERT_TRUE(outcome.violation);
  EXPECT_EQ(outcome.violation->oracle, "livelock");
  EXPECT_EQ(outcome.violation->message.find(message), 0U) << outcome.violation->message;
  EXPECT_EQ(run_once(contend).trace_hash, outcome.trace_hash);
}

TEST(EndlessTest, WorkThatPostsItselfForEverIsALivelock) {
  expect_livelock(
      &post_for_ever,
      "in step 2, in which B goes on, 100000 pieces of work have run, and there is no end");
}

TEST(EndlessTest, CoroutinesThatAreAlwaysReadyAreALivelockToo) {
  expect_livelock(
      &await_for_ever,
      "in step 2, in which B goes on, 100000 coroutines in a row had nothing to wait for, and");
  expect_livelock(&sleep_without_time,
                  "in step 2, in which B goes on, 100000 coroutines in a row had");
  expect_livelock(&await_before_anything_happens,
                  "before the first step, 100000 coroutines in a row had nothing to wait for, and");
}

TEST(EndlessTest, MuchWorkIsNoLivelock) {
  for (const LockScenario::Contend contend : {&work_hard, &work_in_every_step}) {
    const Outcome outcome = run_once(contend);
    EXPECT_FALSE(outcome.violation) << outcome.violation->message;
  }
}

TEST(EndlessTest, AHuntFindsShrinksAndReplaysIt) {
  HuntSettings settings{.executions = 2'000};
  for (const char* const strategy : {"portfolio", "exhaustive"}) {
    settings.strategy = strategy;
    const LockUnderTest lock("asks", &ask_until_it_works);
    const HuntReport report = hunt_lock(lock, settings);
    ASSERT_TRUE(report.failure) << report.text();
    EXPECT_EQ(report.failure->violation.oracle, "livelock");
    EXPECT_EQ(report.failure->deviations, 1U) << report.text();
    EXPECT_EQ(report.failure->clients, 1U);
    const ReplayReport again = replay_lock(report.failure->replay, lock);
    EXPECT_FALSE(again.passed());
    EXPECT_NE(again.text().find("replayed as recorded, fails with livelock"), std::string::npos)
        << again.text();
  }
}

// A piece of work that is never taken out of the queue.
class LeftBehind final : public Runnable {
 public:
  explicit LeftBehind(Executor& executor) : executor_(executor) { executor_.post(*this); }
  void run() override { executor_.post(*this); }

 private:
  Executor& executor_;
};

Task<void> leave_work_behind(Contender& self, Path, std::uint32_t) {
  const LeftBehind left(self.client().executor());
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->exists("/"));
}

// Work left over does not run in the next execution.
TEST(EndlessTest, TheNextExecutionIsNotAffected) {
  LockScenario sound(scenarios::lock_scenario<FairMutex>(), ScenarioSize{2, 1});
  fakezk::World world(sound.servers());
  fakezk::Calm calm;
  const search::ExecutionLimits limits;
  const Outcome alone = execute(world, sound, calm, limits);
  EXPECT_FALSE(alone.violation);
  for (const LockScenario::Contend contend : {&post_for_ever, &leave_work_behind}) {
    LockScenario endless(scenarios::contention(contend), ScenarioSize{2, 1});
    EXPECT_TRUE(execute(world, endless, calm, limits).violation);
    const Outcome after = execute(world, sound, calm, limits);
    EXPECT_FALSE(after.violation) << after.violation->message;
    EXPECT_EQ(after.trace_hash, alone.trace_hash);
  }
}

// Rings again at the same instant, so the clock never gets past it.
class RingsAgain final : public Timer {
 public:
  explicit RingsAgain(Executor& executor) : executor_(executor) { start(executor.now() + 1s); }
  ~RingsAgain() override { executor_.stop_timer(*this); }
  void run() override { start(executor_.now()); }

 private:
  void start(TimePoint at) { executor_.start_timer(*this, at); }
  Executor& executor_;
};

TEST(EndlessTest, ASimulationByHandThrows) {
  fake::Simulation simulation;
  Executor& executor = simulation.client("A").executor();
  {
    const Again again(executor, kForEver);
    EXPECT_THROW(simulation.settle(), fakezk::Endless);
  }
  EXPECT_THROW(simulation.run(await_what_is_ready(kForEver)), fakezk::Endless);
  EXPECT_THROW(simulation.run(sleep_for_ever(executor)), fakezk::Endless);
  simulation.end_tasks();
  const auto session = simulation.open("B");
  EXPECT_TRUE(simulation.run(unit::exists(*session, "/")));
  const RingsAgain rings(executor);
  EXPECT_THROW(simulation.advance(2s), fakezk::Endless);
}

}  // namespace
}  // namespace lockstep::lab
