// The state that a reset keeps, and the state that is private to a world's processes.
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "support/by_hand.h"

namespace lockstep::fakezk {
namespace {

using namespace unit;

Task<void> throw_at_once() {
  throw std::runtime_error("thrown");
  co_return;
}

TEST(WorldResetTest, ProcessTellsThatATaskHasFailed) {
  World world;
  Process& good = world.add_process();
  Process& bad = world.add_process();
  EXPECT_FALSE(world.task_failed());
  bad.tasks().spawn(throw_at_once());
  EXPECT_TRUE(world.task_failed());
  world.reset();
  EXPECT_FALSE(world.task_failed());
  EXPECT_EQ(&world.add_process(), &good);
  EXPECT_EQ(&world.add_process(), &bad);
  EXPECT_FALSE(world.task_failed());
}

TEST(WorldResetTest, EachProcessHasItsOwnStreamInEveryExecution) {
  World world;
  const std::uint64_t first = world.add_process().random().next();
  const std::uint64_t second = world.add_process().random().next();
  EXPECT_NE(first, second);
  world.reset();
  EXPECT_EQ(world.add_process().random().next(), first);
  EXPECT_EQ(world.add_process().random().next(), second);
}

TEST(WorldResetTest, ResetLeavesNothingToHappen) {
  World world;
  Calm calm;
  {
    FakeSession session(world.add_process(), 10s);
    EXPECT_TRUE(world.step(calm));
    world.advance_clock(TimePoint(5s));
  }
  world.reset();
  EXPECT_EQ(world.now(), TimePoint{});
  EXPECT_EQ(world.network().size(), 0U);
  EXPECT_EQ(world.server().session_count(), 0U);
  EXPECT_EQ(world.steps(), 0U);
  EXPECT_EQ(world.trace_hash(), 0U);
  EXPECT_FALSE(world.step(calm));
}

TEST(WorldResetTest, BeginningTheTraceForgetsThePreparation) {
  Simulation simulation;
  const auto session = simulation.open("A");
  World& world = simulation.world();
  EXPECT_GT(world.steps(), 0U);
  EXPECT_NE(world.trace_hash(), 0U);
  world.begin_trace();
  EXPECT_EQ(world.steps(), 0U);
  EXPECT_EQ(world.positions(), 0U);
  EXPECT_EQ(world.trace_hash(), 0U);
  world.hash_in(1);
  const std::uint64_t one = world.trace_hash();
  world.begin_trace();
  world.hash_in(2);
  EXPECT_NE(world.trace_hash(), one);
}

// A program that always uses new names must not fill the memory.
TEST(WorldResetTest, ResetForgetsATableOfVeryManyNames) {
  World world;
  Calm calm;
  Process& process = world.add_process();
  {
    FakeSession session(process, 10s);
    while (session.state() != SessionState::kConnected) world.step(calm);
    for (int i = 0; i < 70'000; ++i) {
      static_cast<void>(session.exists("/name-" + std::to_string(i)));
      if (i % 100 != 99) continue;  // Few at once: a step scans all that are in flight.
      while (world.step_without_time(calm)) {
      }
    }
  }
  EXPECT_GT(world.server().paths().size(), 70'000U);
  world.reset();
  EXPECT_LT(world.server().paths().size(), 10U);
}

}  // namespace
}  // namespace lockstep::fakezk
