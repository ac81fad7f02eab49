#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdio.h>

#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "lockstep/lab/replay.h"
#include "lockstep/threads/hunt_threads.h"

// All executions of a hunt, and the trials that shrink a violation, run in one process, and find
// its static locks as the previous one has left them.

namespace lockstep::threads {
namespace {

using ::testing::HasSubstr;

// The lock of a stream of libc.
class StreamMutex {
 public:
  void lock() { ::flockfile(stream_); }
  void unlock() { ::funlockfile(stream_); }

 private:
  std::FILE* stream_ = std::tmpfile();  // Static locks end with the process.
};

template <class Lock>
void take_both(Lock& first, Lock& second) {
  const std::lock_guard outer(first);
  const std::lock_guard inner(second);
}

template <class Lock>
ThreadsUnderTest opposite_orders() {
  static Lock a;
  static Lock b;
  const auto body = [] {
    std::thread one([] { take_both(a, b); });
    std::thread other([] { take_both(b, a); });
    one.join();
    other.join();
  };
  return {.name = "opposite-orders", .body = body};
}

template <class Lock>
class LeftLocksHuntTest : public ::testing::Test {};

using Locks = ::testing::Types<std::mutex, std::recursive_mutex, std::shared_mutex, StreamMutex>;
TYPED_TEST_SUITE(LeftLocksHuntTest, Locks);

TYPED_TEST(LeftLocksHuntTest, ADeadlockOfStaticLocksIsFoundShrunkAndReplayed) {
  const lab::LockUnderTest lock = under_test(opposite_orders<TypeParam>());
  lab::HuntSettings settings;
  settings.size = {1, 1};
  settings.executions = 2'000;
  const lab::HuntReport report = hunt_lock(lock, settings);
  ASSERT_FALSE(report.passed());
  EXPECT_EQ(report.failure->violation.oracle, "deadlock") << report.text();
  EXPECT_THAT(report.failure->violation.message, HasSubstr("T1 waits in"));
  EXPECT_THAT(report.failure->violation.message, HasSubstr("T2 waits in"));
  EXPECT_GT(report.failure->deviations, 0u);  // The default schedule has no deadlock.
  const lab::ReplayReport replayed = lab::replay_lock(report.failure->replay, lock);
  ASSERT_TRUE(replayed.violation.has_value()) << replayed.text();
  EXPECT_EQ(replayed.violation->oracle, "deadlock");
}

}  // namespace
}  // namespace lockstep::threads
