#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "lockstep/blocking/mutex.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/lab/blocking_scenario.h"
#include "lockstep/lab/gtest.h"
#include "variable.h"

// Hunts as assertions, and the effect of the environment on them.
namespace lockstep::lab {
namespace {

using unit::Variable;

// Every contender gets in.
Task<void> walk_in_each_round(Contender& self, Path, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const auto session = co_await self.client().session(Context());
    if (!session) continue;
    self.resource().enter(**session);
    const auto looked = co_await (*session)->exists("/");
    static_cast<void>(looked);
    self.resource().leave(**session);
  }
}

// Takes a lock, and reports a violation in the second round.
Task<void> count_rounds(Contender& self, Path lock, std::uint32_t rounds) {
  co_await contend_for<FairMutex>(self, lock, rounds);
  if (rounds > 1) self.oracles().violated("user:rounds", "there was a second round");
}

void nothing_is_left(const fakezk::World& world, search::Verdict& verdict) {
  const fakezk::Server& server = world.server();
  const auto folder = server.paths().find(Path("/lock").text());
  if (folder && server.tree().find(*folder)) {
    verdict.report("user:left", "the lock's folder is still there", world.steps());
  }
}

HuntSettings few_executions() { return {.executions = 300}; }

TEST(NoViolationTest, ASoundLockPasses) {
  EXPECT_NO_VIOLATION(lock_under_test<FairMutex>("fair-mutex"), few_executions());
  EXPECT_NO_VIOLATION(LockUnderTest("fair-mutex", &contend_for<FairMutex>), few_executions());
  ASSERT_NO_VIOLATION(blocking_lock_under_test<blocking::FairMutex>("fair-mutex"),
                      few_executions());
}

TEST(NoViolationTest, ABrokenLockFailsWithItsReport) {
  const ::testing::AssertionResult result =
      no_violation(LockUnderTest("no-lock", &walk_in_each_round), few_executions());
  EXPECT_FALSE(result);
  const std::string message = result.message();
  EXPECT_NE(message.find("no-lock breaks S2"), message.npos) << message;
  EXPECT_NE(message.find("lockstep1/no-lock/"), message.npos) << message;
}

TEST(NoViolationTest, UsersInvariantsCount) {
  HuntSettings settings = few_executions();
  settings.size = {2, 2};
  const HuntReport report = hunt_lock("rounds", &count_rounds, settings);
  ASSERT_FALSE(report.passed());
  EXPECT_EQ(report.failure->violation.oracle, "user:rounds");
}

TEST(NoViolationTest, ChecksAtTheEndCount) {
  LockUnderTest lock = lock_under_test<FairMutex>("fair-mutex");
  lock.check_at_end = &nothing_is_left;
  const HuntReport report = hunt_lock(lock, few_executions());
  ASSERT_FALSE(report.passed());
  EXPECT_EQ(report.failure->violation.oracle, "user:left");
  EXPECT_FALSE(replay_lock(report.failure->replay, lock).passed());
}

TEST(NoViolationTest, ThePrintedTestIncludesTheBlockingContender) {
  LockUnderTest lock("no-lock", &walk_in_each_round);
  const LockUnderTest blocking = blocking_lock_under_test<blocking::FairMutex>("no-lock");
  lock.source = blocking.source;
  lock.include = blocking.include;
  const std::string code = hunt_lock(lock, few_executions()).regression_test();
  EXPECT_NE(code.find("blocking_lock_under_test<lockstep::blocking::"), code.npos) << code;
  EXPECT_NE(code.find("#include \"lockstep/lab/blocking_scenario.h\""), code.npos) << code;
}

TEST(NoViolationTest, TheEnvironmentSetsTheExecutions) {
  const Variable seed("LOCKSTEP_SEED", "77");
  const Variable executions("LOCKSTEP_EXECUTIONS", "12");
  const HuntSettings settings = few_executions().with_environment();
  EXPECT_EQ(settings.seed, 77U);
  EXPECT_EQ(settings.executions, 12U);
  EXPECT_FALSE(settings.measure_coverage);
  const HuntReport report = hunt_lock("fair-mutex", &contend_for<FairMutex>, settings);
  EXPECT_EQ(report.executions, 12U);
  EXPECT_EQ(report.seed, 77U);
}

TEST(NoViolationTest, TheEnvironmentSetsTheTime) {
  const Variable seconds("LOCKSTEP_SECONDS", "0.001");
  const HuntSettings settings = few_executions().with_environment();
  EXPECT_GT(settings.executions, 1'000'000'000U);
  const HuntReport report = hunt_lock("fair-mutex", &contend_for<FairMutex>, settings);
  EXPECT_TRUE(report.passed());
  EXPECT_LT(report.executions, 1'000'000U);
}

TEST(NoViolationTest, TheEnvironmentAsksForCoverage) {
  const Variable coverage("LOCKSTEP_COVERAGE", "1");
  EXPECT_TRUE(few_executions().with_environment().measure_coverage);
}

TEST(NoViolationTest, ATextThatIsNoNumberIsRefused) {
  const char* const numbers[] = {"x", "-1", "1x", "", " 1", "1.5", "99999999999999999999999"};
  for (const char* const number : numbers) {
    const Variable seed("LOCKSTEP_SEED", number);
    if (*number == '\0') {
      EXPECT_NO_THROW(static_cast<void>(few_executions().with_environment()));
    } else {
      EXPECT_THROW(static_cast<void>(few_executions().with_environment()), std::invalid_argument)
          << number;
    }
  }
  for (const char* const seconds : {"0", "-1", "nan", "inf", "soon"}) {
    const Variable variable("LOCKSTEP_SECONDS", seconds);
    EXPECT_THROW(static_cast<void>(few_executions().with_environment()), std::invalid_argument)
        << seconds;
  }
  const Variable executions("LOCKSTEP_EXECUTIONS", "0");
  const ::testing::AssertionResult result = no_violation(lock_under_test<FairMutex>("fair-mutex"));
  EXPECT_FALSE(result);
  EXPECT_NE(std::string(result.message()).find("LOCKSTEP_EXECUTIONS"), std::string::npos);
}

TEST(NoViolationTest, AReplayStringRunsItsOwnLockOnly) {
  const LockUnderTest broken("no-lock", &walk_in_each_round);
  const HuntReport found = hunt_lock(broken, few_executions());
  ASSERT_FALSE(found.passed());
  const Variable replay("LOCKSTEP_REPLAY", found.failure->replay);
  const ::testing::AssertionResult result = no_violation(broken, few_executions());
  EXPECT_FALSE(result);
  const std::string message = result.message();
  EXPECT_NE(message.find("no-lock, replayed as recorded, breaks S2"), message.npos) << message;
  EXPECT_NO_VIOLATION(lock_under_test<FairMutex>("fair-mutex"), few_executions());
}

TEST(NoViolationTest, ARubbishReplayStringFailsEveryLock) {
  const Variable replay("LOCKSTEP_REPLAY", "rubbish");
  const ::testing::AssertionResult result =
      no_violation(lock_under_test<FairMutex>("fair-mutex"), few_executions());
  EXPECT_FALSE(result);
  EXPECT_NE(std::string(result.message()).find("LOCKSTEP_REPLAY"), std::string::npos);
}

TEST(NoViolationTest, AReplayStringThatCannotBeReadFailsItsLock) {
  const Variable replay("LOCKSTEP_REPLAY", "lockstep1/fair-mutex/nonsense");
  EXPECT_FALSE(no_violation(lock_under_test<FairMutex>("fair-mutex"), few_executions()));
}

}  // namespace
}  // namespace lockstep::lab
