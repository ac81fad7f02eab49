#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "lockstep/intercept/execution.h"

// The audit of the program's objects, in a process of its own because it is done once.

namespace lockstep::intercept {
namespace {

[[noreturn]] void audit_with(const char* object) {
  if (!::dlopen(object, RTLD_NOW)) std::fputs(::dlerror(), stderr);
  try {
    Execution::prepare();
  } catch (const std::logic_error& refused) {
    std::fputs(refused.what(), stderr);
    std::exit(1);
  }
  std::exit(0);
}

class AuditDeathTest : public ::testing::TestWithParam<const char*> {};

TEST_P(AuditDeathTest, SeesTheImportsOfEachObject) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(audit_with(GetParam()), ::testing::ExitedWithCode(1),
              "calls mq_receive, which cannot be intercepted");
}

INSTANTIATE_TEST_SUITE_P(WithoutAGnuHashTable, AuditDeathTest,
                         ::testing::Values(LOCKSTEP_AUDITED_UNHASHED));
INSTANTIATE_TEST_SUITE_P(WithoutADefinition, AuditDeathTest,
                         ::testing::Values(LOCKSTEP_AUDITED_UNDEFINED));

TEST(AuditDeathTest, AcceptsThisProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(audit_with(nullptr), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace lockstep::intercept
