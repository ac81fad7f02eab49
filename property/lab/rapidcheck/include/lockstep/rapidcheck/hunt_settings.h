#pragma once

#include <rapidcheck.h>

#include <iosfwd>

#include "lockstep/lab/hunt.h"

// Hunts as RapidCheck cases: a property takes lab::HuntSettings (or only a size, or a plan of
// faults) as an argument, hunts, and fails with the report. RapidCheck then looks for the smallest
// settings that still fail: fewer clients, rounds, faults and kinds of faults. (Include
// <gtest/gtest.h> before <rapidcheck/gtest.h>, and link GoogleTest, too.)
//
//   RC_GTEST_PROP(MyMutexProperty, KeepsItsGuarantees, (const lab::HuntSettings& settings)) {
//     const lab::HuntReport report =
//         lab::hunt_lock("my-mutex", &lab::contend_for<MyMutex>, settings);
//     if (!report.passed()) RC_FAIL(report.text());
//   }

namespace rc {

// 2 to 4 clients, 1 to 3 rounds.
template <>
struct Arbitrary<lockstep::lab::ScenarioSize> {
  static Gen<lockstep::lab::ScenarioSize> arbitrary();
};

// At most 3 faults in an execution, of a random set of kinds; some kinds are capped at one.
template <>
struct Arbitrary<lockstep::fakezk::FaultPlan> {
  static Gen<lockstep::fakezk::FaultPlan> arbitrary();
};

// A size, a plan and a seed, which is not shrunk. RapidCheck draws many cases, so a few hundred
// executions of each are enough.
template <>
struct Arbitrary<lockstep::lab::HuntSettings> {
  static Gen<lockstep::lab::HuntSettings> arbitrary();
};

}  // namespace rc

// Print the cases for RapidCheck.
namespace lockstep::fakezk {
void showValue(const FaultPlan& plan, std::ostream& stream);
}  // namespace lockstep::fakezk

namespace lockstep::lab {
void showValue(const ScenarioSize& size, std::ostream& stream);
void showValue(const HuntSettings& settings, std::ostream& stream);
}  // namespace lockstep::lab
