#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <system_error>

#include "lab/hunts.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/lab/hunt.h"
#include "lockstep/lab/replay.h"
#include "support/no_free_descriptor.h"

// Executions in child processes.
namespace lockstep::lab {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

HuntSettings settings(std::uint64_t executions) {
  return {.size = {2, 1}, .executions = executions};
}

int executions_seen = 0;

// Aborts if the other client was served first, which does not happen on the default schedule.
Task<void> abort_if_overtaken(Contender& self, Path, std::uint32_t) {
  static int served = 0;
  const auto session = co_await self.client().session(Context());
  if (!session) co_return;
  static_cast<void>(co_await (*session)->exists("/"));
  if (self.client().name() == "A" && served > 0) std::abort();
  ++served;
}

// Shared by all child processes.
int* const aborts = static_cast<int*>(
    ::mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));

// Aborts in one child, and in no later one.
Task<void> abort_once(Contender& self, Path, std::uint32_t) {
  const auto session = co_await self.client().session(Context());
  if (!session) co_return;
  static_cast<void>(co_await (*session)->exists("/"));
  if (self.client().name() == "B" && (*aborts)++ == 0) std::abort();
}

// Depends on how often it has run in its process.
Task<void> remember(Contender& self, Path, std::uint32_t) {
  if (executions_seen++ >= 2)
    self.oracles().violated("user:memory", "an earlier execution is seen");
  co_return;
}

TEST(ForksTest, AHuntGoesTheSameWayAsInOneProcess) {
  LockUnderTest lock("fair-mutex", &contend_briefly_for<FairMutex>);
  const HuntReport here = hunt_lock(lock, settings(100));
  lock.in_forks = true;
  const HuntReport forked = hunt_lock(lock, settings(100));
  EXPECT_EQ(forked.trace_hash, here.trace_hash);
  EXPECT_EQ(forked.steps, here.steps);
  EXPECT_EQ(forked.executions, here.executions);
  EXPECT_EQ(forked.judged, here.judged);
}

TEST(ForksTest, AViolationIsFoundAsInOneProcess) {
  LockUnderTest lock("nobody-waits", &walk_in);
  const HuntReport here = hunt_lock(lock, settings(10'000));
  lock.in_forks = true;
  const HuntReport forked = hunt_lock(lock, settings(10'000));
  ASSERT_TRUE(here.failure.has_value());
  ASSERT_TRUE(forked.failure.has_value());
  EXPECT_EQ(forked.failed_execution, here.failed_execution);
  EXPECT_EQ(forked.failure->violation.oracle, "S2");
  EXPECT_LE(forked.failure->deviations, forked.failure->original_deviations);
}

TEST(ForksTest, AnEndOfTheProcessIsAFailureOfTheHunt) {
  LockUnderTest lock("aborting", &abort_if_overtaken);
  lock.in_forks = true;
  const HuntReport report = hunt_lock(lock, settings(10'000));
  ASSERT_TRUE(report.failure.has_value());
  EXPECT_EQ(report.failure->violation.oracle, "crash");
  EXPECT_THAT(report.failure->violation.message, HasSubstr("aborted"));
  EXPECT_LE(report.failure->deviations, 2u);
  const search::Chronicle& chronicle = report.failure->chronicle;
  ASSERT_TRUE(chronicle.violation.has_value());
  EXPECT_EQ(chronicle.violation->oracle, "crash");
  ASSERT_FALSE(chronicle.moments.empty());
  EXPECT_EQ(chronicle.moments.back().step, report.failure->steps);
  EXPECT_EQ(chronicle.processes.size(), report.failure->clients);
  EXPECT_THAT(report.failure->lanes, HasSubstr(chronicle.moments.back().text));
  EXPECT_THAT(report.failure->lanes, HasSubstr("!! crash: "));
  EXPECT_THAT(report.html(), HasSubstr(R"("oracle":"crash")"));
}

TEST(ForksTest, AnEndThatDoesNotComeAgainHasTheReplayStringOfItsExecution) {
  LockUnderTest lock("aborting-once", &abort_once);
  lock.in_forks = true;
  lock.executions_per_fork = 1;
  HuntSettings once = settings(10);
  once.first = 3;
  const HuntReport report = hunt_lock(lock, once);
  ASSERT_TRUE(report.failure.has_value());
  EXPECT_EQ(report.failure->violation.oracle, "crash");
  EXPECT_EQ(report.failure->deviations, report.failure->original_deviations);
  EXPECT_THAT(report.failure->replay, StartsWith("lockstep1/aborting-once/c2r1/"));
}

// The hunt notices that it needs a child for each execution.
TEST(ForksTest, EachExecutionStartsWithTheSameMemory) {
  LockUnderTest lock("remembering", &remember);
  executions_seen = 0;
  lock.in_forks = true;
  EXPECT_TRUE(hunt_lock(lock, settings(50)).passed());
  EXPECT_EQ(executions_seen, 0);
  lock.in_forks = false;
  EXPECT_FALSE(hunt_lock(lock, settings(50)).passed());
}

TEST(ForksTest, AHuntWithAChildForEachExecutionGoesTheSameWay) {
  LockUnderTest lock("nobody-waits", &walk_in);
  lock.in_forks = true;
  const HuntReport some = hunt_lock(lock, settings(10'000));
  lock.executions_per_fork = 1;
  const HuntReport each = hunt_lock(lock, settings(10'000));
  EXPECT_EQ(some.trace_hash, each.trace_hash);
  EXPECT_EQ(some.failed_execution, each.failed_execution);
  ASSERT_TRUE(some.failure.has_value());
  EXPECT_EQ(some.failure->violation.oracle, "S2");
}

// The machine's limits are no flaw of the code under test.
TEST(ForksTest, AMachineWithoutProcessesOrFilesIsNoCrash) {
  LockUnderTest lock("fair-mutex", &contend_briefly_for<FairMutex>);
  lock.in_forks = true;
  std::exception_ptr thrown;
  {
    const support::NoFreeDescriptor none;
    try {
      static_cast<void>(hunt_lock(lock, settings(10)));
    } catch (...) {
      thrown = std::current_exception();  // Sanitizers need a file to look at its type.
    }
  }
  ASSERT_TRUE(thrown);
  try {
    std::rethrow_exception(thrown);
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code(), std::errc::too_many_files_open);
    EXPECT_THAT(error.what(), HasSubstr("says nothing about the code under test"));
  }
}

TEST(ForksTest, SearchesThatCannotForkAreRefused) {
  LockUnderTest lock("fair-mutex", &contend_briefly_for<FairMutex>);
  lock.in_forks = true;
  HuntSettings exhaustive = settings(10);
  exhaustive.strategy = HuntSettings::kExhaustive;
  EXPECT_THROW(static_cast<void>(hunt_lock(lock, exhaustive)), std::invalid_argument);
  HuntSettings covered = settings(10);
  covered.measure_coverage = true;
  EXPECT_THROW(static_cast<void>(hunt_lock(lock, covered)), std::invalid_argument);
  LockUnderTest none("fair-mutex", &contend_briefly_for<FairMutex>);
  none.in_forks = true;
  none.executions_per_fork = 0;
  EXPECT_THROW(static_cast<void>(hunt_lock(none, settings(10))), std::invalid_argument);
}

}  // namespace
}  // namespace lockstep::lab
