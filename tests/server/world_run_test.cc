#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>

#include "lockstep/fakezk/world.h"
#include "lockstep/sleep.h"
#include "support/by_hand.h"

namespace lockstep::fakezk {
namespace {

using namespace unit;

// World::run() proceeds until the test must look.
class WorldRunTest : public SimulatedTest {
 protected:
  // Returns the number of steps, limited to `most`.
  std::uint32_t run(std::uint32_t most, bool with_timers = true) {
    const std::uint32_t before = world_.steps();
    goes_on_ = world_.run(calm_, stop_, before + most, with_timers);
    return world_.steps() - before;
  }

  World& world_ = simulation_.world();
  Calm calm_;
  bool stop_ = false;
  bool goes_on_ = true;
};

constexpr std::uint32_t kMany = 100;

Task<bool> read_twice(Session& session) {
  const bool first = (co_await session.exists("/a")).has_value();
  const bool second = (co_await session.exists("/a")).has_value();
  co_return first&& second;
}

Task<bool> read_and_stop(Session& session, bool& stop) {
  const bool first = (co_await session.exists("/a")).has_value();
  stop = true;
  const bool second = (co_await session.exists("/a")).has_value();
  co_return first&& second;
}

Task<void> read_and_throw(Session& session) {
  static_cast<void>(co_await session.exists("/a"));
  throw std::runtime_error("thrown");
}

Task<bool> wait_a_second(Executor& executor) {
  static_cast<void>(co_await sleep_for(executor, std::chrono::seconds(1)));
  co_return true;
}

TEST_F(WorldRunTest, MakesNoMoreStepsThanItMay) {
  const auto session = simulation_.open("A");
  const auto reads = simulation_.start(read_twice(*session));
  EXPECT_EQ(run(3), 3U);
  EXPECT_TRUE(goes_on_);
  EXPECT_FALSE(reads.done());
}

TEST_F(WorldRunTest, EndsWhenNothingCanHappen) {
  const auto session = simulation_.open("A");
  const auto reads = simulation_.start(read_twice(*session));
  EXPECT_EQ(run(kMany, false), 4U);  // Applied and received, twice.
  EXPECT_FALSE(goes_on_);
  EXPECT_TRUE(reads.done());
}

TEST_F(WorldRunTest, MakesAtLeastOneStep) {
  const auto session = simulation_.open("A");
  const auto reads = simulation_.start(read_twice(*session));
  EXPECT_EQ(run(0), 1U);
  stop_ = true;
  EXPECT_EQ(run(kMany), 1U);
  EXPECT_TRUE(goes_on_);
}

TEST_F(WorldRunTest, LeavesTheClockAloneIfTold) {
  const auto slept = simulation_.start(wait_a_second(simulation_.client("A").executor()));
  EXPECT_EQ(run(kMany, false), 0U);
  EXPECT_FALSE(goes_on_);
  EXPECT_FALSE(slept.done());
  run(kMany);
  EXPECT_TRUE(slept.done());
}

TEST_F(WorldRunTest, EndsWithACommit) {
  const auto session = simulation_.open("A");
  const auto created = simulation_.start(create(*session, "/a"));
  const auto reads = simulation_.start(read_twice(*session));
  EXPECT_EQ(run(kMany), 1U);
  EXPECT_TRUE(goes_on_);
  EXPECT_TRUE(simulation_.exists("/a"));
}

TEST_F(WorldRunTest, StopsOnRequest) {
  const auto session = simulation_.open("A");
  const auto reads = simulation_.start(read_and_stop(*session, stop_));
  EXPECT_EQ(run(kMany), 2U);
  EXPECT_TRUE(goes_on_);
  EXPECT_FALSE(reads.done());
}

TEST_F(WorldRunTest, EndsWhereATaskHasFailed) {
  const auto session = simulation_.open("A");
  world_.process(0).tasks().spawn(read_and_throw(*session));
  world_.drain();
  const auto reads = simulation_.start(read_twice(*session));
  const std::uint32_t steps = run(kMany);
  EXPECT_TRUE(goes_on_);
  EXPECT_TRUE(world_.task_failed());
  EXPECT_LT(steps, 6U);
  EXPECT_FALSE(reads.done());
  EXPECT_THROW(std::rethrow_exception(world_.take_exception()), std::runtime_error);
}

}  // namespace
}  // namespace lockstep::fakezk
