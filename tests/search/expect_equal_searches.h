#pragma once

#include <gtest/gtest.h>

#include "lockstep/search/exhaustive.h"

namespace lockstep::unit {

// Expects equal results of exhaustive searches of one program, however they are divided.
inline void expect_equal(const search::ExhaustiveResult& got,
                         const search::ExhaustiveResult& expected) {
  EXPECT_EQ(got.exhausted, expected.exhausted);
  EXPECT_EQ(got.fault_budget, expected.fault_budget);
  EXPECT_EQ(got.traces, expected.traces);
  EXPECT_EQ(got.executions, expected.executions);
  EXPECT_EQ(got.steps, expected.steps);
  EXPECT_EQ(got.trace_hash, expected.trace_hash);
  EXPECT_EQ(got.trace_set_hash, expected.trace_set_hash);
  EXPECT_EQ(got.final_states, expected.final_states);
  EXPECT_EQ(got.state_hash, expected.state_hash);
  EXPECT_EQ(got.traces_by_fault, expected.traces_by_fault);
  EXPECT_EQ(got.pairs_checked, expected.pairs_checked);
  ASSERT_EQ(got.found.has_value(), expected.found.has_value());
  if (!got.found) return;
  EXPECT_EQ(got.found->execution, expected.found->execution);
  EXPECT_EQ(got.found->deviations, expected.found->deviations);
  EXPECT_EQ(got.found->outcome.violation->message, expected.found->outcome.violation->message);
}

}  // namespace lockstep::unit
