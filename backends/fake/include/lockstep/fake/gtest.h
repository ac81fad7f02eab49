#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>

#include "lockstep/fake/hunt.h"
#include "lockstep/fake/replay.h"

// Hunts as GoogleTest assertions. Whoever includes this links GoogleTest.
//
//   TEST(MyMutexTest, KeepsItsGuarantees) {
//     EXPECT_NO_VIOLATION(fake::lock_under_test<MyMutex>("my-mutex"));
//   }
//
// The arguments are those of hunt_lock: a LockUnderTest, and HuntSettings if the defaults will not
// do. Without changing the test, the environment says what else to do:
//
//   LOCKSTEP_SEED, LOCKSTEP_EXECUTIONS, LOCKSTEP_SECONDS, LOCKSTEP_COVERAGE
//                     HuntSettings::with_environment
//   LOCKSTEP_REPLAY   a replay string: the lock of that name is not hunted, but runs this one
//                     execution; all others are hunted as ever
#define EXPECT_NO_VIOLATION(...) EXPECT_TRUE(::lockstep::fake::no_violation(__VA_ARGS__))
#define ASSERT_NO_VIOLATION(...) ASSERT_TRUE(::lockstep::fake::no_violation(__VA_ARGS__))

namespace lockstep::fake {

// The lock that a replay string is about.
[[nodiscard]] inline std::string_view scenario_of(std::string_view replay_string) {
  const std::size_t slash = replay_string.find('/');
  if (slash == std::string_view::npos) return {};
  const std::string_view rest = replay_string.substr(slash + 1);
  return rest.substr(0, rest.find('/'));
}

// What the macros ask.
[[nodiscard]] inline ::testing::AssertionResult no_violation(const LockUnderTest& lock,
                                                             const HuntSettings& settings = {}) {
  const char* const wanted = std::getenv("LOCKSTEP_REPLAY");
  if (wanted && scenario_of(wanted) == lock.name) {
    const ReplayReport replayed = replay_lock(wanted, lock);
    if (!replayed.passed()) return ::testing::AssertionFailure() << replayed.text();
    return ::testing::AssertionSuccess() << replayed.text();
  }
  try {
    const HuntReport report = hunt_lock(lock, settings.with_environment());
    if (!report.passed()) return ::testing::AssertionFailure() << report.text();
    if (report.coverage) std::cout << report.text();
    return ::testing::AssertionSuccess() << report.text();
  } catch (const std::invalid_argument& unreadable) {
    return ::testing::AssertionFailure() << unreadable.what();
  }
}

}  // namespace lockstep::fake
