#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>

#include "lockstep/search/exhaustive.h"
#include "lockstep/search/schedule.h"

namespace lockstep::search {

// An exhaustive search with these kinds of faults, and at most that many in an execution.
inline ExhaustiveOptions with_faults(std::string_view faults, std::uint32_t budget) {
  ExhaustiveOptions options;
  EXPECT_EQ(parse_fault_kinds(faults, options.limits.faults), "");
  options.limits.faults.set_total(budget);
  return options;
}

}  // namespace lockstep::search
