#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "lockstep/threads/hunt_threads.h"
#include "lockstep/threads/inside.h"

// The fault "timer" beside threads that may go on.

namespace lockstep::threads {
namespace {

using std::chrono::milliseconds;

void call(std::mutex& mutex, int times) {
  for (int i = 0; i < times; ++i) const std::lock_guard lock(mutex);
}

// Is broken if the time is over in the middle of what another thread does without a wait.
void wait_beside_another(milliseconds time) {
  std::mutex own;
  std::mutex mutex;
  std::condition_variable never;
  bool is_under_way = false;
  std::thread other([&] {
    call(own, 10);
    is_under_way = true;
    call(own, 10);
    is_under_way = false;
    call(own, 10);
  });
  {
    std::unique_lock lock(mutex);
    never.wait_for(lock, time, [] { return false; });
    if (is_under_way) violated("late", "the time is over in the middle");
  }
  other.join();
}

lab::HuntReport hunt_timers(const char* name, std::function<void()> body) {
  lab::HuntSettings settings;
  settings.seed = 1;
  settings.executions = 1'000;
  settings.faults = lab::faults_called("timer", 2);
  return hunt_threads(name, std::move(body), settings);
}

TEST(EarlyTimersTest, AShortOneFiresBesideARunningThread) {
  const lab::HuntReport report =
      hunt_timers("short-timer", [] { wait_beside_another(milliseconds(5)); });
  EXPECT_FALSE(report.passed()) << report.text();
}

// A thread that may go on is late, but not by seconds.
TEST(EarlyTimersTest, ALongOneWaitsForIt) {
  const lab::HuntReport report =
      hunt_timers("long-timer", [] { wait_beside_another(milliseconds(500)); });
  EXPECT_TRUE(report.passed()) << report.text();
}

// No position of a fault, or of another order, is lost to the calls before the second thread.
TEST(EarlyTimersTest, StrikeAfterALongStart) {
  const lab::HuntReport report = hunt_timers("long-start", [] {
    std::mutex mutex;
    call(mutex, 15'000);
    wait_beside_another(milliseconds(5));
  });
  EXPECT_FALSE(report.passed()) << report.text();
}

}  // namespace
}  // namespace lockstep::threads
