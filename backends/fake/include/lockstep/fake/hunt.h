#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lockstep/fake/scenario.h"
#include "lockstep/fakezk/explore/report.h"

namespace lockstep::fake {

// What to search, unless the defaults will do.
struct HuntSettings {
  ScenarioSize size;
  fakezk::FaultPlan faults = fakezk::FaultPlan::all(2);
  std::uint64_t executions = 20'000;
  std::uint64_t seed = 1;
};

// How a hunt ended; text() is what a person wants to read about it.
struct HuntReport {
  std::string name;
  std::uint64_t executions = 0;
  std::uint64_t seed = 0;
  std::optional<fakezk::Failure> failure;

  [[nodiscard]] bool passed() const { return !failure; }
  [[nodiscard]] std::string text() const;
  // If it has failed: the source of a GoogleTest that replays the failure. `mutex` is the class in
  // C++; without one its name is guessed from the lock's name: MyMutex for "my-mutex".
  [[nodiscard]] std::string regression_test(std::string_view mutex = {}) const;
  // If it has failed: the failure as an HTML page, complete in itself.
  [[nodiscard]] std::string html() const;
};

// START HERE (recipe authors): searches the schedules of a lock for one that breaks a guarantee
// (LockOracles lists them), and makes the first that it finds as short as possible.
//
//   const fake::HuntReport report = fake::hunt_lock("my-mutex", &fake::contend_for<MyMutex>);
//   EXPECT_TRUE(report.passed()) << report.text();
//
// The same settings give the same report everywhere. Runs on the calling thread.
HuntReport hunt_lock(std::string name, LockScenario::Contend contend,
                     const HuntSettings& settings = {});

}  // namespace lockstep::fake
