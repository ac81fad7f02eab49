#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/lab/lock_under_test.h"
#include "lockstep/lab/scenario.h"
#include "lockstep/search/report.h"

namespace lockstep::lab {

// How the replay of one execution went; text() is a report for people.
struct ReplayReport {
  std::string scenario;
  std::string error;  // The fault of the replay string; nothing else is reported then.
  std::optional<search::Violation> violation;
  // False for a hand-written schedule and for last words (lockstep/lab/last_words.h).
  bool was_recorded = true;
  bool as_recorded = false;  // False if the program has changed since and the execution differs.
  // The first step that differs, counted from 1, if `was_recorded` and not `as_recorded`.
  std::optional<std::uint32_t> first_difference;
  search::Chronicle chronicle;

  // True if the execution ran without a violation, whether as recorded or not.
  [[nodiscard]] bool passed() const { return error.empty() && !violation; }
  [[nodiscard]] std::string text() const;
};

// Runs the execution of a replay string, in the program that `make` makes for the string's size.
// Indices count modulo the number of options, so a string of an older program still runs. For
// regression tests:
//
//   const lab::ReplayReport report =
//       lab::replay_lock("lockstep1/my-mutex/...", &lab::contend_for<MyMutex>);
//   EXPECT_TRUE(report.passed()) << report.text();
ReplayReport replay(std::string_view string,
                    const std::function<std::unique_ptr<search::Program>(ScenarioSize)>& make);
// The same for a lock that hunt_lock has searched. A string of another lock is an error; with a
// bare contender the lock's name is not checked.
ReplayReport replay_lock(std::string_view string, Contend contend);
ReplayReport replay_lock(std::string_view string, const LockUnderTest& lock);

// Runs one given schedule: `deviations` from the default schedule, sorted by position, each
// position at most once (checked).
ReplayReport run_schedule(const LockUnderTest& lock, ScenarioSize size,
                          const fakezk::FaultPlan& faults,
                          const std::vector<fakezk::Deviation>& deviations);

// The source of a GoogleTest that replays a finding of a hunt. `replayed` is the code of replay's
// second argument, or of replay_lock's if `is_lock`; `include` is the header that declares it, or
// empty; `note` a comment above the test, or empty.
[[nodiscard]] std::string regression_test(const search::Failure& failure, std::string_view replayed,
                                          bool is_lock, std::string_view include,
                                          std::string_view note = {});

}  // namespace lockstep::lab
