#pragma once

#include <rapidcheck.h>

#include <iosfwd>
#include <vector>

#include "lockstep/search/schedule.h"

// Schedules as RapidCheck cases: a property takes a Schedule, runs it, and fails with the report.
// RapidCheck then leaves out deviations and moves the others to the front and towards the default
// schedule. A hunt searches better; this is for properties about single executions.
//
//   RC_GTEST_PROP(MyMutexProperty, KeepsItsGuarantees, (const rapidcheck::Schedule& schedule)) {
//     const lab::ReplayReport report = lab::run_schedule(
//         lab::lock_under_test<MyMutex>("my-mutex"), lab::ScenarioSize(),
//         fakezk::FaultPlan::all(2), schedule.deviations);
//     if (!report.passed()) RC_FAIL(report.text());
//   }
namespace lockstep::rapidcheck {

// Deviations from the default schedule, sorted by position.
struct Schedule {
  std::vector<fakezk::Deviation> deviations;
};

void showValue(const Schedule& schedule, std::ostream& stream);

}  // namespace lockstep::rapidcheck

namespace rc {

// At most about ten deviations at the first hundred positions, one in four of them a fault.
template <>
struct Arbitrary<lockstep::rapidcheck::Schedule> {
  static Gen<lockstep::rapidcheck::Schedule> arbitrary();
};

}  // namespace rc
