#include "lockstep/fakezk/world_clock.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "lockstep/fakezk/world.h"
#include "server/silent_timer.h"

namespace lockstep::fakezk {
namespace {

using namespace std::chrono_literals;

class WorldClockTest : public ::testing::Test {
 protected:
  ~WorldClockTest() override {
    servers_.clear();
    processes_.reset();
  }
  using Found = std::vector<std::pair<TimerKind, std::uint32_t>>;
  Found found() {
    Found found;
    for (const NextTimer& next : clock_.next()) found.emplace_back(next.kind, next.index);
    return found;
  }

  World world_;
  WorldTime time_;
  WorkLoop work_{world_};
  Processes processes_{world_, work_, time_};
  ServerTimers servers_{1};
  WorldClock clock_{servers_, processes_};
  SilentTimer timers_[3];
};

TEST_F(WorldClockTest, WithoutTimersNothingIsDue) {
  processes_.add();
  EXPECT_EQ(clock_.find_next(), std::nullopt);
  EXPECT_TRUE(clock_.next().empty());
  EXPECT_FALSE(clock_.a_timer_runs());
  EXPECT_FALSE(clock_.is_waited_for());
}

TEST_F(WorldClockTest, OneTimerOfEachQueueIsNextIfSeveralAreDueTogether) {
  processes_.add().start_timer(timers_[0], TimePoint(5s));
  processes_.add().start_timer(timers_[1], TimePoint(5s));
  servers_.expiries.push(timers_[2], TimePoint(5s));
  EXPECT_EQ(clock_.find_next(), TimePoint(5s));
  const Found together = {
      {TimerKind::kExpiry, 0}, {TimerKind::kProcess, 0}, {TimerKind::kProcess, 1}};
  EXPECT_EQ(found(), together);
  processes_[1].stop_timer(timers_[1]);
  processes_[1].start_timer(timers_[1], TimePoint(4s));
  EXPECT_EQ(clock_.find_next(), TimePoint(4s));
  EXPECT_EQ(found(), (Found{{TimerKind::kProcess, 1}}));
}

TEST_F(WorldClockTest, TimersOfAStalledProcessWait) {
  Process& process = processes_.add();
  process.start_timer(timers_[0], TimePoint(5s));
  EXPECT_TRUE(clock_.is_waited_for());
  process.stall(TimePoint(60s));
  EXPECT_EQ(clock_.find_next(), std::nullopt);
  EXPECT_FALSE(clock_.a_timer_runs());
  EXPECT_FALSE(clock_.is_waited_for());
  process.wake();
  EXPECT_EQ(clock_.find_next(), TimePoint(5s));
}

TEST_F(WorldClockTest, AFastClocksTimerComesBeforeTheServersDueAtTheSameTime) {
  Process& process = processes_.add();
  process.clock().drift(true);
  process.start_timer(timers_[0], TimePoint(65s));
  servers_.expiries.push(timers_[1], TimePoint(65s));
  EXPECT_EQ(clock_.find_next(), TimePoint(64s));
  EXPECT_EQ(found(), (Found{{TimerKind::kProcess, 0}}));
}

TEST_F(WorldClockTest, TheServersHashTellsWhenTheirTimersAreDue) {
  const std::uint64_t idle = clock_.server_hash();
  servers_.expiries.push(timers_[0], TimePoint(5s));
  const std::uint64_t runs = clock_.server_hash();
  EXPECT_NE(runs, idle);
  servers_.expiries.clear();
  servers_.expiries.push(timers_[0], TimePoint(6s));
  EXPECT_NE(clock_.server_hash(), runs);
}

}  // namespace
}  // namespace lockstep::fakezk
