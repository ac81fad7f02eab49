#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "lockstep/lab/gtest_failures.h"
#include "lockstep/lab/hunt.h"
#include "lockstep/lab/replay.h"

// Hunts as GoogleTest assertions. Code that includes this file links GoogleTest.
//
//   TEST(MyMutexTest, KeepsItsGuarantees) {
//     EXPECT_NO_VIOLATION(lab::lock_under_test<MyMutex>("my-mutex"));
//   }
//
// The arguments are those of hunt_lock: a LockUnderTest, and HuntSettings if the defaults do not
// fit. The environment changes the hunt without a change to the test:
//
//   LOCKSTEP_SEED, LOCKSTEP_EXECUTIONS, LOCKSTEP_SECONDS, LOCKSTEP_COVERAGE, LOCKSTEP_STRATEGY,
//   LOCKSTEP_REDUCTION, LOCKSTEP_JOBS, LOCKSTEP_FAULTS, LOCKSTEP_FAULT_BUDGET
//                     HuntSettings::with_environment
//   LOCKSTEP_REPLAY   a replay string: the lock with that name runs this one execution instead of
//                     a hunt; all others are hunted as usual. A malformed string fails the test. A
//                     lock that ends the process prints it in this form: lockstep/lab/last_words.h
//
// A failed EXPECT or ASSERT inside a contender, an invariant, a check at the end, or a destructor
// that runs in the cleanup of an execution ends the hunt as the violation "user:expectation", and
// the report has its schedule. The same holds for every thread of code with threads
// (lockstep::threads), and of executions in child processes. (In a regression test it fails as
// usual.) SUCCEED() and GTEST_SKIP() have no effect there.
#define EXPECT_NO_VIOLATION(...) EXPECT_TRUE(::lockstep::lab::no_violation(__VA_ARGS__))
#define ASSERT_NO_VIOLATION(...) ASSERT_TRUE(::lockstep::lab::no_violation(__VA_ARGS__))

namespace lockstep::lab {

// The result of a replay, with its report. `elsewhere`: GoogleTest failures that occurred outside
// of the execution.
[[nodiscard]] inline ::testing::AssertionResult replayed_well(const ReplayReport& replayed,
                                                              const std::string& elsewhere) {
  if (!replayed.passed() || !elsewhere.empty()) {
    return ::testing::AssertionFailure() << replayed.text() << elsewhere;
  }
  std::cout << replayed.text();
  return ::testing::AssertionSuccess() << replayed.text();
}

// A note on the judge of exclusion, S1 or S2, that had nothing to judge; empty if both had.
[[nodiscard]] inline std::string half_of_exclusion(const HuntReport& report) {
  std::string notes;
  for (const search::Oracle oracle : {search::Oracle::kS1, search::Oracle::kS2}) {
    if (report.judged.of(oracle) > 0) continue;
    const search::OracleFacts& row = search::facts(oracle);
    notes += report.name + ": " + std::string(row.name) + " judged nothing (" +
             std::string(row.idle_because) + ").\n";
  }
  return notes;
}

// The implementation of the macros.
[[nodiscard]] inline ::testing::AssertionResult no_violation(const LockUnderTest& lock,
                                                             const HuntSettings& settings = {}) {
  try {
    GTestFailures failures;
    const LockUnderTest watched = GTestFailures::watched(lock);
    const char* const wanted = std::getenv("LOCKSTEP_REPLAY");
    if (wanted && *wanted != '\0') {
      search::ReplayString parsed;
      const std::string unreadable = search::ReplayString::parse(wanted, parsed);
      if (!unreadable.empty()) {
        return ::testing::AssertionFailure() << "LOCKSTEP_REPLAY: " << unreadable;
      }
      if (parsed.scenario == lock.name) {
        const ReplayReport replayed = replay_lock(wanted, watched);
        return replayed_well(replayed, failures.elsewhere());
      }
    }
    const HuntReport report = hunt_lock(watched, settings.with_environment());
    const std::string elsewhere = failures.elsewhere();
    if (!report.passed() || !elsewhere.empty()) {
      return ::testing::AssertionFailure() << report.text() << elsewhere;
    }
    const bool is_vacuous = !report.judged.covers_exclusion();
    const bool is_shown = report.coverage || report.exhaustive || is_vacuous;
    std::cout << (is_shown ? report.text() : half_of_exclusion(report));
    return ::testing::AssertionSuccess() << report.text();
  } catch (const std::invalid_argument& unreadable) {
    return ::testing::AssertionFailure() << unreadable.what();
  }
}

}  // namespace lockstep::lab
