// Timers that are due at the same instant: no two clocks are equal enough to decide their order.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/search/hunt.h"
#include "lockstep/search/strategy.h"
#include "plays.h"
#include "support/by_hand.h"

namespace lockstep::search {
namespace {

using namespace unit;
using namespace std::chrono_literals;

// Chooses this number first in a step, then always 0.
class FirstNumber final : public fakezk::Chooser {
 public:
  explicit FirstNumber(std::uint32_t number) : number_(number) {}
  fakezk::Choice next(const fakezk::Menu&) override {
    left_ = number_;
    return {};
  }
  std::uint32_t number(std::uint32_t) override { return std::exchange(left_, 0); }

 private:
  std::uint32_t number_;
  std::uint32_t left_ = 0;
};

Task<void> sleep_and_append(Executor& executor, char name, std::string& order) {
  static_cast<void>(co_await sleep_for(executor, 1s));
  order += name;
}

TEST(SameInstantTest, TheChooserSaysWhoseTimerFiresFirst) {
  // Modulo the number of orders.
  const std::vector<std::string> orders = {"ABC", "BAC", "CAB", "ABC"};
  for (std::uint32_t first = 0; first < orders.size(); ++first) {
    Simulation simulation;
    std::string order;
    for (const char name : {'A', 'B', 'C'}) {
      Executor& executor = simulation.client(std::string(1, name)).executor();
      simulation.start(sleep_and_append(executor, name, order));
    }
    FirstNumber one(first);
    ASSERT_TRUE(simulation.world().step(one));
    fakezk::Calm calm;
    while (simulation.world().step(calm)) {
    }
    EXPECT_EQ(order, orders[first]) << first;
  }
}

// A process fires its own timers in the order of their start, on which it may rely
// (Executor::start_timer).
TEST(SameInstantTest, TimersOfOneProcessFireInTheOrderOfTheirStart) {
  Simulation simulation;
  std::string order;
  Executor& executor = simulation.client("A").executor();
  for (const char name : {'a', 'b'}) simulation.start(sleep_and_append(executor, name, order));
  FirstNumber one(1);
  while (simulation.world().step(one)) {
  }
  EXPECT_EQ(order, "ab");
}

Task<void> sleep_and_say(Actor& self) {
  static_cast<void>(co_await sleep_for(self.client().executor(), 1s));
  self.shared = 10 * self.shared + self.client().name().front() - '@';
}

TEST(SameInstantTest, AnExhaustiveSearchTriesAllOrders) {
  for (const Reduction reduction : {Reduction::kNone, Reduction::kSleep, Reduction::kSource}) {
    Play play({&sleep_and_say, &sleep_and_say, &sleep_and_say}, false);
    const ExhaustiveResult result = explore(play, reduction);
    EXPECT_TRUE(result.exhausted);
    EXPECT_EQ(result.traces, 6U);
  }
}

TEST(SameInstantTest, ReductionsSeeTheSameOrders) {
  Play sleepers({&sleep_and_write, &sleep_and_write});
  expect_agreement(sleepers);
  expect_agreement(sleepers, "timer", 1);
}

Task<void> sleep_and_come_first(Actor& self) {
  static_cast<void>(co_await sleep_for(self.client().executor(), 1s));
  const bool is_first = std::exchange(self.shared, 1) == 0;
  if (is_first && self.client().name() == "C") {
    self.verdict().report("user:order", "C was first", self.client().process().world().steps());
  }
}

TEST(SameInstantTest, HuntsOfAllStrategiesTryOtherOrders) {
  for (const StrategyName& strategy : strategies()) {
    HuntOptions options;
    options.executions = 1000;
    options.make_program = [] {
      const std::vector<Act> acts(3, &sleep_and_come_first);
      return std::make_unique<Play>(acts, false);
    };
    options.make_strategy = strategy.make;
    OneByOne workers;
    EXPECT_TRUE(hunt(options, workers).found) << strategy.name;
  }
}

// A session expires when a replica looks for its leader again (Follower.followLeader): either comes
// first, and that replica's clients see which.
TEST(SameInstantTest, TimersOfTheServersFireInAnyOrder) {
  for (const std::uint32_t first : {0U, 1U, 2U}) {
    Simulation simulation(quiet(5));
    const auto session = simulation.open("A", 8s);  // Silent from now on, it expires after 10 s.
    fakezk::World& world = simulation.world();
    world.faults().stall(simulation.client("A").process());
    for (const fakezk::ReplicaIndex replica : {1U, 2U})
      world.servers().isolate(replica, world.now());
    FirstNumber chooser(first);
    ASSERT_TRUE(world.step(chooser));
    EXPECT_EQ(world.server().session_alive(session->id()), first != 0);
    for (const fakezk::ReplicaIndex replica : {1U, 2U}) {
      EXPECT_EQ(world.server().replica(replica).unreachable, first != replica);
    }
  }
}

}  // namespace
}  // namespace lockstep::search
