#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "lockstep/threads/hunt_threads.h"

// How much an execution holds.

namespace lockstep::threads {
namespace {

using ::testing::HasSubstr;

lab::HuntReport hunt_threads_one_after_another(int count) {
  const auto body = [count] {
    for (int i = 0; i < count; ++i) std::thread([] {}).join();
  };
  lab::HuntSettings settings;
  settings.executions = 3;
  return hunt_threads("many-threads", body, settings);
}

TEST(LimitsTest, ABodyStarts255Threads) {
  const lab::HuntReport report = hunt_threads_one_after_another(255);
  EXPECT_TRUE(report.passed()) << report.text();
}

TEST(LimitsTest, OneMoreThreadIsMisuse) {
  const lab::HuntReport report = hunt_threads_one_after_another(256);
  ASSERT_FALSE(report.passed());
  EXPECT_EQ(report.failure->violation.oracle, "misuse");
  EXPECT_THAT(report.failure->violation.message,
              HasSubstr("main calls pthread_create: an execution has at most 256 threads, with "
                        "main and those that have ended"));
}

// A thread that cleans up periodically hides that another one waits for ever. Once, the message
// named no thread.
TEST(LimitsTest, ALivelockSaysWhoWaitsForWhat) {
  const auto body = [] {
    std::mutex mutex;
    std::condition_variable changed;
    std::jthread housekeeping([](const std::stop_token& stopped) {
      while (!stopped.stop_requested()) std::this_thread::sleep_for(std::chrono::seconds(10));
    });
    std::unique_lock lock(mutex);
    for (;;) changed.wait(lock);
  };
  lab::HuntSettings settings;
  settings.executions = 1;
  settings.faults = lab::faults_called("none", 1);
  const lab::HuntReport report = hunt_threads("forgotten-waiter", body, settings);
  ASSERT_FALSE(report.passed());
  EXPECT_EQ(report.failure->violation.oracle, "livelock");
  EXPECT_THAT(report.failure->violation.message, HasSubstr("main waits in pthread_cond_wait"));
}

}  // namespace
}  // namespace lockstep::threads
