#include "lockstep/internal/timer_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "lockstep/fakezk/random_stream.h"

namespace lockstep::internal {
namespace {

using namespace std::chrono_literals;

class NamedTimer final : public Timer {
 public:
  explicit NamedTimer(int number) : number_(number) {}
  void run() override {}
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

constexpr TimePoint at(Duration since_start) { return TimePoint(since_start); }

class TimerQueueTest : public ::testing::Test {
 protected:
  NamedTimer& start(Duration due) {
    NamedTimer& timer = timers_.emplace_back(static_cast<int>(timers_.size()));
    queue_.push(timer, at(due));
    return timer;
  }
  std::vector<int> pop_all() {
    std::vector<int> order;
    while (!queue_.empty()) order.push_back(static_cast<NamedTimer&>(queue_.pop()).number());
    return order;
  }

  std::deque<NamedTimer> timers_;
  TimerQueue queue_;
};

TEST_F(TimerQueueTest, EarliestComesFirst) {
  for (const Duration due : {3s, 1s, 2s, 5s, 4s}) start(due);
  EXPECT_EQ(queue_.size(), 5U);
  EXPECT_EQ(queue_.earliest().due, at(1s));
  EXPECT_EQ(pop_all(), (std::vector<int>{1, 2, 0, 4, 3}));
  EXPECT_TRUE(queue_.empty());
}

TEST_F(TimerQueueTest, TimersOfOneInstantComeInTheOrderOfTheirStart) {
  for (const Duration due : {2s, 1s, 2s, 1s, 2s, 1s, 1s}) start(due);
  EXPECT_EQ(pop_all(), (std::vector<int>{1, 3, 5, 6, 0, 2, 4}));
}

TEST_F(TimerQueueTest, TimerStartedAgainGoesToTheEndOfItsInstant) {
  NamedTimer& first = start(1s);
  start(1s);
  queue_.erase(first);
  queue_.push(first, at(1s));
  EXPECT_EQ(pop_all(), (std::vector<int>{1, 0}));
}

TEST_F(TimerQueueTest, ErasingFromAnywhereKeepsTheOrder) {
  for (int victim = 0; victim < 9; ++victim) {
    timers_.clear();
    for (const Duration due : {1s, 7s, 2s, 9s, 8s, 3s, 4s, 5s, 6s}) start(due);
    NamedTimer& erased = timers_[static_cast<std::size_t>(victim)];
    queue_.erase(erased);
    EXPECT_EQ(erased.position, Timer::kIdle);
    std::vector<int> expected = {0, 2, 5, 6, 7, 8, 1, 4, 3};
    std::erase(expected, victim);
    EXPECT_EQ(pop_all(), expected) << victim;
  }
}

TEST_F(TimerQueueTest, ErasingAnIdleTimerDoesNothing) {
  NamedTimer never(99);
  NamedTimer& popped = start(1s);
  start(2s);
  queue_.pop();
  queue_.erase(popped);
  queue_.erase(never);
  EXPECT_EQ(queue_.size(), 1U);
  EXPECT_EQ(popped.position, Timer::kIdle);
}

TEST_F(TimerQueueTest, ClearLeavesTheTimersIdle) {
  NamedTimer& one = start(1s);
  NamedTimer& two = start(2s);
  queue_.clear();
  EXPECT_TRUE(queue_.empty());
  EXPECT_EQ(one.position, Timer::kIdle);
  queue_.push(two, at(3s));
  queue_.push(one, at(3s));
  EXPECT_EQ(pop_all(), (std::vector<int>{1, 0}));
}

// Compares with a multimap, which keeps equal keys in the order of their insertion.
TEST_F(TimerQueueTest, BehavesLikeASortedList) {
  constexpr std::uint32_t kTimers = 40;
  fakezk::RandomStream random(20260101);
  for (std::uint32_t i = 0; i < kTimers; ++i) timers_.emplace_back(static_cast<int>(i));
  std::multimap<TimePoint, int> model;
  for (int round = 0; round < 20'000; ++round) {
    NamedTimer& timer = timers_[random.below(kTimers)];
    const std::uint32_t action = random.below(8);
    const bool idle = timer.position == Timer::kIdle;
    if (action == 0 && !model.empty()) {
      const auto& popped = static_cast<NamedTimer&>(queue_.pop());
      ASSERT_EQ(popped.number(), model.begin()->second);
      ASSERT_EQ(popped.due, model.begin()->first);
      model.erase(model.begin());
    } else if (idle) {
      const TimePoint due = at(Duration(random.below(16)));
      queue_.push(timer, due);
      model.emplace(due, timer.number());
    } else if (action < 4) {
      queue_.erase(timer);
      std::erase_if(model, [&](const auto& entry) { return entry.second == timer.number(); });
    }
    ASSERT_EQ(queue_.size(), model.size());
    if (!model.empty()) {
      ASSERT_EQ(queue_.earliest().due, model.begin()->first);
    }
  }
}

}  // namespace
}  // namespace lockstep::internal
