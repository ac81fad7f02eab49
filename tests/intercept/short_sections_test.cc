#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "small_world.h"

// A try finds a lock taken by a section that makes no call, in some orders.

namespace lockstep::intercept {
namespace {

template <class Mutex>
void expect_tries_to_fail_sometimes(bool (*try_lock)(Mutex&), void (Mutex::*unlock)()) {
  int failures = 0;
  run_in_orders([&] {
    Mutex mutex;
    std::thread other([&] {
      mutex.lock();
      mutex.unlock();
    });
    if (try_lock(mutex)) {
      (mutex.*unlock)();
    } else {
      ++failures;
    }
    other.join();
  });
  EXPECT_GT(failures, 0);
  EXPECT_LT(failures, static_cast<int>(kOrders));
}

template <class Mutex>
void expect_tries_to_meet_a_short_section(bool (*try_lock)(Mutex&)) {
  expect_tries_to_fail_sometimes(try_lock, &Mutex::unlock);
}

template <class Mutex>
void expect_readers_to_meet_a_short_section(bool (*try_lock)(Mutex&)) {
  expect_tries_to_fail_sometimes(try_lock, &Mutex::unlock_shared);
}

TEST(InterceptedThreadsTest, ATryCanMeetAShortSection) {
  expect_tries_to_meet_a_short_section<std::mutex>([](auto& m) { return m.try_lock(); });
  expect_tries_to_meet_a_short_section<std::shared_mutex>([](auto& m) { return m.try_lock(); });
  expect_readers_to_meet_a_short_section<std::shared_mutex>(
      [](auto& m) { return m.try_lock_shared(); });
}

// libstdc++ calls other functions of libc for each clock.
template <class Clock>
void expect_timed_tries_to_meet_a_short_section() {
  using Exclusive = std::timed_mutex;
  using Either = std::shared_timed_mutex;
  const auto tries = [](auto& mutex) { return mutex.try_lock_until(Clock::now()); };
  expect_tries_to_meet_a_short_section<Exclusive>(tries);
  expect_tries_to_meet_a_short_section<Either>(tries);
  expect_readers_to_meet_a_short_section<Either>(
      [](auto& mutex) { return mutex.try_lock_shared_until(Clock::now()); });
}

TEST(InterceptedThreadsTest, ATimedTryCanMeetAShortSection) {
  expect_timed_tries_to_meet_a_short_section<std::chrono::steady_clock>();
  expect_timed_tries_to_meet_a_short_section<std::chrono::system_clock>();
}

}  // namespace
}  // namespace lockstep::intercept
