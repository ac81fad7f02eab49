#pragma once

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

// How the replay of one execution went; text() is what a person wants to read about it.
struct ReplayReport {
  std::string scenario;
  std::string error;  // What is wrong with the replay string; then nothing has run.
  std::optional<search::Violation> violation;
  // Otherwise it is a schedule that somebody made up, or last words (lockstep/lab/last_words.h).
  bool was_recorded = true;
  bool as_recorded = false;  // Otherwise the program has changed since, and took another way.
  search::Chronicle chronicle;

  // True if the execution ran and broke nothing, as recorded or not.
  [[nodiscard]] bool passed() const { return error.empty() && !violation; }
  [[nodiscard]] std::string text() const;
};

// Runs the execution that a replay string stands for, in the program that `make` makes of the
// string's size. Deviations that no longer fit are applied as far as they do. For regression tests:
//
//   const lab::ReplayReport report =
//       lab::replay_lock("lockstep1/my-mutex/...", &lab::contend_for<MyMutex>);
//   EXPECT_TRUE(report.passed()) << report.text();
ReplayReport replay(std::string_view string,
                    const std::function<std::unique_ptr<search::Program>(ScenarioSize)>& make);
// The same for a lock that hunt_lock has searched. A string of another lock is an error; without a
// LockUnderTest nobody knows whose it is.
ReplayReport replay_lock(std::string_view string, Contend contend);
ReplayReport replay_lock(std::string_view string, const LockUnderTest& lock);

// Runs one schedule, any one: `deviations` from the calm one, in the order of their positions, no
// position twice.
ReplayReport run_schedule(const LockUnderTest& lock, ScenarioSize size,
                          const fakezk::FaultPlan& faults,
                          const std::vector<fakezk::Deviation>& deviations);

// The source of a GoogleTest that replays what a hunt has found. `replayed` is the code of replay's
// second argument, or of replay_lock's if `is_lock`; `include` is what declares it, or empty;
// `note` a comment above the test, or empty.
[[nodiscard]] std::string regression_test(const search::Failure& failure, std::string_view replayed,
                                          bool is_lock, std::string_view include,
                                          std::string_view note = {});

}  // namespace lockstep::lab
