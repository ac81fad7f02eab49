#pragma once

#include <rapidcheck.h>

#include <iosfwd>
#include <vector>

#include "lockstep/fakezk/explore/schedule.h"

// Schedules as RapidCheck cases: a property takes a Schedule, runs it, and fails with the report.
// RapidCheck then leaves out deviations and moves those that remain to the front and towards what
// is calm. A hunt searches better; this is for properties about single executions.
//
//   RC_GTEST_PROP(MyMutexProperty, KeepsItsGuarantees, (const property::Schedule& schedule)) {
//     const fake::ReplayReport report = fake::run_schedule(
//         fake::lock_under_test<MyMutex>("my-mutex"), fake::ScenarioSize(),
//         fakezk::FaultPlan::all(2), schedule.deviations);
//     if (!report.passed()) RC_FAIL(report.text());
//   }
namespace lockstep::property {

// What differs from the calm schedule, in the order of the positions.
struct Schedule {
  std::vector<fakezk::Deviation> deviations;
};

void showValue(const Schedule& schedule, std::ostream& stream);

}  // namespace lockstep::property

namespace rc {

// At most about ten deviations at the first hundred positions, one in four of them a fault.
template <>
struct Arbitrary<lockstep::property::Schedule> {
  static Gen<lockstep::property::Schedule> arbitrary();
};

}  // namespace rc
