#include "lockstep/fakezk/process_clock.h"

#include <gtest/gtest.h>

#include "lockstep/fakezk/fault.h"
#include "server/silent_timer.h"

namespace lockstep::fakezk {
namespace {

using namespace std::chrono_literals;

TEST(ProcessClockTest, ShowsTheWorldsTimeUntilItDrifts) {
  WorldTime time;
  ProcessClock clock(time);
  time.move_to(TimePoint(7s));
  EXPECT_EQ(clock.now(), TimePoint(7s));
  EXPECT_TRUE(clock.is_exact());
  clock.drift(true);
  EXPECT_EQ(clock.now(), TimePoint(7s));
  EXPECT_FALSE(clock.is_exact());
}

TEST(ProcessClockTest, DriftsByOnePartInKDriftParts) {
  for (const bool fast : {false, true}) {
    WorldTime time;
    ProcessClock clock(time);
    time.move_to(TimePoint(10s));
    clock.drift(fast);
    time.move_to(TimePoint(10s + kDriftParts * 1s));
    EXPECT_EQ(clock.now(), TimePoint(10s + kDriftParts * 1s + (fast ? 1s : -1s)));
  }
}

TEST(ProcessClockTest, NeverFiresATimerEarlyNorMuchTooLate) {
  for (const bool fast : {false, true}) {
    for (const Duration wait :
         {Duration(1), Duration(63), Duration(65), Duration(1s), Duration(1h)}) {
      WorldTime time;
      ProcessClock clock(time);
      time.move_to(TimePoint(3s));
      clock.drift(fast);
      SilentTimer timer;
      clock.start(timer, clock.now() + wait);
      const TimePoint due = *clock.next_due();
      time.reset_to(due);
      EXPECT_GE(clock.now(), timer.due);
      EXPECT_LE(clock.now(), timer.due + Duration(1));
      time.reset_to(due - Duration(2));
      EXPECT_LT(clock.now(), timer.due);
      clock.stop(timer);
      EXPECT_EQ(clock.next_due(), std::nullopt);
    }
  }
}

TEST(ProcessClockTest, ATimerAtTheEndOfTimeStaysThereIfTheClockDrifts) {
  for (const bool fast : {false, true}) {
    for (const Duration before_the_end : {Duration(0), Duration(1), Duration(1h)}) {
      WorldTime time;
      ProcessClock clock(time);
      time.move_to(TimePoint(3s));
      clock.drift(fast);
      SilentTimer timer;
      clock.start(timer, TimePoint::max() - before_the_end);
      EXPECT_EQ(clock.next_due(), TimePoint::max());
      clock.stop(timer);
    }
  }
}

TEST(ProcessClockTest, IsExactAndWithoutTimersAfterAReset) {
  WorldTime time;
  ProcessClock clock(time);
  SilentTimer timer;
  clock.start(timer, TimePoint(5s));
  clock.drift(false);
  const std::uint64_t drifting = clock.hash();
  clock.reset();
  EXPECT_TRUE(clock.is_exact());
  EXPECT_TRUE(clock.timers().empty());
  EXPECT_NE(clock.hash(), drifting);
  EXPECT_EQ(clock.hash(), ProcessClock(time).hash());
}

TEST(WorldTimeTest, GoesBackOnlyAtAReset) {
  WorldTime time;
  time.move_to(TimePoint(5s));
  time.move_to(TimePoint(3s));
  EXPECT_EQ(time.now(), TimePoint(5s));
  time.reset_to(TimePoint(1s));
  EXPECT_EQ(time.now(), TimePoint(1s));
}

}  // namespace
}  // namespace lockstep::fakezk
