#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace lockstep::threads
