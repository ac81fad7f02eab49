#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "lockstep/threads/hunt_threads.h"
#include "lockstep/threads/inside.h"

// A hunt of correct code accuses nobody.

namespace lockstep::threads {
namespace {

lab::HuntSettings times(std::uint64_t count) {
  lab::HuntSettings settings;
  settings.executions = count;
  return settings;
}

class InsideTest : public ::testing::TestWithParam<std::function<void()>> {};

// Only another thread that is inside at the same time breaks exclusion.
TEST_P(InsideTest, AccusesNobodyFalsely) {
  const lab::HuntReport report = hunt_threads("inside", GetParam(), times(50));
  EXPECT_TRUE(report.passed()) << report.text();
}

void enter_on_another_thread() {
  std::thread([] { const Inside inside("stock"); }).join();
}

// The thread of a watch learns of the loss.
void another_thread_leaves() {
  Inside inside("stock");
  std::thread([&] { inside.leave(); }).join();
  enter_on_another_thread();
}

void another_thread_destroys() {
  auto inside = std::make_unique<Inside>("stock");
  std::thread([inside = std::move(inside)] {}).join();
  enter_on_another_thread();
}

void enter_twice() {
  const Inside outer("stock");
  const Inside inner("stock");
}

INSTANTIATE_TEST_SUITE_P(Each, InsideTest,
                         ::testing::Values(&another_thread_leaves, &another_thread_destroys,
                                           &enter_twice));

TEST(FalseAccusationsTest, TwoThreadsInsideAreFoundAfterOneHasLeftOnce) {
  const auto body = [] {
    const Inside outer("stock");
    {
      const Inside inner("stock");
    }
    enter_on_another_thread();
  };
  const lab::HuntReport report = hunt_threads("left-once", body, times(1));
  ASSERT_FALSE(report.passed());
  EXPECT_EQ(report.failure->violation.oracle, "S2");
}

// libstdc++ looks whether the program has threads.
TEST(FalseAccusationsTest, AStopTokenEndsAWait) {
  const auto body = [] {
    std::condition_variable_any changed;
    std::mutex mutex;
    std::jthread waits([&](const std::stop_token& stop) {
      std::unique_lock lock(mutex);
      changed.wait(lock, stop, [] { return false; });
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    waits.request_stop();
    waits.join();
  };
  const lab::HuntReport report = hunt_threads(
      ThreadsUnderTest{.name = "stop-token", .body = body, .in_forks = true}, times(50));
  EXPECT_TRUE(report.passed()) << report.text();
}

// The other thread gets the mutex between two calls whose time is over.
TEST(FalseAccusationsTest, ALoopThatDoesNotWaitLetsOthersIn) {
  const auto body = [] {
    std::condition_variable changed;
    std::mutex mutex;
    bool done = false;
    std::thread other([&] {
      const std::lock_guard lock(mutex);
      done = true;
    });
    std::unique_lock lock(mutex);
    while (!done) changed.wait_for(lock, std::chrono::milliseconds(0));
    lock.unlock();
    other.join();
  };
  const lab::HuntReport report = hunt_threads("polls", body, times(50));
  EXPECT_TRUE(report.passed()) << report.text();
}

}  // namespace
}  // namespace lockstep::threads
