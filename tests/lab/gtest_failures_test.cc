#include "lockstep/lab/gtest_failures.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "lockstep/fair_mutex.h"
#include "lockstep/lab/blocking_scenario.h"
#include "lockstep/lab/gtest.h"
#include "variable.h"

// GoogleTest expectations in hunted code.
namespace lockstep::lab {
namespace {

HuntSettings with_executions(std::uint64_t executions = 2'000) {
  return {.executions = executions};
}

// A expects to be the first in the queue, as on the default schedule.
Task<void> expect_to_be_first(Contender& self, Path lock, std::uint32_t rounds) {
  const auto session = co_await self.client().session(Context());
  if (!session) co_return;
  const auto queue = co_await (*session)->get_children(lock);
  const bool looks = queue && self.client().name() == "A";
  EXPECT_TRUE(!looks || queue->empty()) << "not the first";
  co_await contend_for<FairMutex>(self, lock, rounds);
}

std::string message_of(const LockUnderTest& lock) {
  const ::testing::AssertionResult result = no_violation(lock, with_executions());
  EXPECT_FALSE(result);
  return result.message();
}

TEST(GTestFailuresTest, AnExpectationOfAContenderIsReportedWithItsSchedule) {
  const LockUnderTest lock("first", &expect_to_be_first);
  const std::string message = message_of(lock);
  for (const char* const part : {"user:expectation", "gtest_failures_test.cc:", "not the first",
                                 "-> get_children /lock", "lockstep1/first/c2r1/"}) {
    EXPECT_NE(message.find(part), message.npos) << part << " is not in\n" << message;
  }
}

void block_and_assert(Contender& self, std::uint32_t) {
  const Result<SessionId> id = blocking_session_id(self.client());
  ASSERT_TRUE(!id) << "there is a session";
}

TEST(GTestFailuresTest, AnAssertionOfBlockingCodeIsReportedToo) {
  const LockUnderTest lock("blocks", [](Contender& self, Path, std::uint32_t rounds) {
    return self.on_fiber([&self, rounds] { block_and_assert(self, rounds); });
  });
  const std::string message = message_of(lock);
  EXPECT_NE(message.find("user:expectation"), message.npos) << message;
  EXPECT_NE(message.find("there is a session"), message.npos) << message;
}

TEST(GTestFailuresTest, FunctionsAtTheStartAndTheEndMayExpectToo) {
  LockUnderTest lock = lock_under_test<FairMutex>("fair-mutex");
  lock.at_start = [] { EXPECT_TRUE(false) << "at the start"; };
  EXPECT_NE(message_of(lock).find("at the start"), std::string::npos);
  lock.at_start = nullptr;
  lock.check_at_end = [](const fakezk::World&, search::Verdict&) { ADD_FAILURE() << "at the end"; };
  EXPECT_NE(message_of(lock).find("at the end"), std::string::npos);
}

TEST(GTestFailuresTest, AFailureOnAnotherThreadFailsTheTestWithoutASchedule) {
  const LockUnderTest threads("threads", [](Contender& self, Path lock, std::uint32_t rounds) {
    std::thread([] { EXPECT_TRUE(false) << "on a thread of its own"; }).join();
    return contend_for<FairMutex>(self, std::move(lock), rounds);
  });
  const ::testing::AssertionResult result = no_violation(threads, with_executions(2));
  EXPECT_FALSE(result);
  EXPECT_NE(std::string(result.message()).find("on a thread of its own"), std::string::npos);
}

// The memory of a child process is lost with it.
TEST(GTestFailuresTest, AFailureOnAnotherThreadInAChildProcessBelongsToItsExecution) {
  LockUnderTest threads("threads", [](Contender& self, Path lock, std::uint32_t rounds) {
    std::thread([] { EXPECT_TRUE(false) << "on a thread of its own"; }).join();
    return contend_for<FairMutex>(self, std::move(lock), rounds);
  });
  threads.in_forks = true;
  const ::testing::AssertionResult result = no_violation(threads, with_executions(2));
  EXPECT_FALSE(result);
  const std::string message = result.message();
  for (const char* const part : {"user:expectation", "on a thread of its own"}) {
    EXPECT_NE(message.find(part), message.npos) << part << " is not in\n" << message;
  }
}

// Expects in its destructor that nothing has gone wrong.
class Expecting {
 public:
  Expecting() = default;
  Expecting(const Expecting&) = delete;
  Expecting& operator=(const Expecting&) = delete;
  ~Expecting() { EXPECT_FALSE(gone_wrong) << "when it was cleared away"; }
  bool gone_wrong = false;
};

// Waits in the background until the execution is cleaned up.
Task<void> watch_for_ever(std::shared_ptr<Session> session) {
  Expecting expecting;
  const auto looked = co_await session->exists("/");
  expecting.gone_wrong = !looked;
  const auto watched = co_await session->exists_watched("/never");
  if (watched) static_cast<void>(co_await watched->watch.fired());
}

Task<void> leave_behind(Contender& self, Path lock, std::uint32_t rounds) {
  const auto session = co_await self.client().session(Context());
  if (session) self.client().process().tasks().spawn(watch_for_ever(*session));
  co_await contend_for<FairMutex>(self, lock, rounds);
}

// Expects the one fault that matters in the schedule.
void expect_a_cut(const std::string& message) {
  for (const char* const part : {"user:expectation", "when it was cleared away",
                                 "** the connection is cut", "lockstep1/left/c1r1/"}) {
    EXPECT_NE(message.find(part), message.npos) << part << " is not in\n" << message;
  }
}

HuntSettings with_cuts(std::uint32_t most) {
  HuntSettings settings = with_executions();
  settings.size = {1, 1};
  settings.faults = fakezk::FaultPlan();
  settings.faults.allow(fakezk::FaultKind::kCut, most);
  settings.faults.set_total(most);
  return settings;
}

TEST(GTestFailuresTest, AnExpectationDuringTheCleanupCounts) {
  const LockUnderTest lock("left", &leave_behind);
  EXPECT_TRUE(no_violation(lock, with_cuts(0)));
  HuntSettings settings = with_cuts(1);
  for (const char* const strategy : {"random", "exhaustive"}) {
    settings.strategy = strategy;
    const ::testing::AssertionResult result = no_violation(lock, settings);
    EXPECT_FALSE(result);
    expect_a_cut(result.message());
  }
}

TEST(GTestFailuresTest, AnExpectationIsReplayed) {
  const LockUnderTest lock("left", &leave_behind);
  std::string replay = no_violation(lock, with_cuts(1)).message();
  replay.erase(0, replay.find("lockstep1/left/"));
  replay.erase(replay.find('\n'));
  const unit::Variable variable("LOCKSTEP_REPLAY", replay);
  const ::testing::AssertionResult result = no_violation(lock);
  EXPECT_FALSE(result);
  const std::string message = result.message();
  EXPECT_NE(message.find("left, replayed as recorded, "), message.npos) << message;
  expect_a_cut(message + replay);
}

// A failure while the lock itself is destroyed belongs to no execution.
TEST(GTestFailuresTest, AFailureBetweenExecutionsFailsTheTestWithoutASchedule) {
  std::string elsewhere;
  {
    GTestFailures failures;
    const LockUnderTest lock = GTestFailures::watched(lock_under_test<FairMutex>("fair-mutex"));
    EXPECT_TRUE(hunt_lock(lock, with_executions(3)).passed());
    EXPECT_TRUE(false) << "in between";
    elsewhere = failures.elsewhere();
  }
  EXPECT_NE(elsewhere.find("in between"), std::string::npos) << elsewhere;
}

TEST(GTestFailuresTest, ThreadsFailAReplayToo) {
  const LockUnderTest threads("threads", [](Contender& self, Path lock, std::uint32_t rounds) {
    std::thread([] { EXPECT_TRUE(false) << "on a thread of its own"; }).join();
    return contend_for<FairMutex>(self, std::move(lock), rounds);
  });
  const unit::Variable replay("LOCKSTEP_REPLAY", "lockstep1/threads/c1r1/none/calm/unknown");
  const ::testing::AssertionResult result = no_violation(threads);
  EXPECT_FALSE(result);
  EXPECT_NE(std::string(result.message()).find("on a thread of its own"), std::string::npos)
      << result.message();
}

// A hunt inside a hunt, and an expectation of its contender afterwards.
Task<void> hunt_and_expect(Contender& self, Path lock, std::uint32_t rounds) {
  EXPECT_NO_VIOLATION(lock_under_test<FairMutex>("fair-mutex"), with_executions(2));
  EXPECT_EQ(rounds, 0U) << "behind the inner hunt";
  co_await contend_for<FairMutex>(self, lock, rounds);
}

TEST(GTestFailuresTest, ANestedHuntRestoresTheOuterOne) {
  const std::string message = message_of(LockUnderTest("outer", &hunt_and_expect));
  EXPECT_NE(message.find("user:expectation"), message.npos) << message;
  EXPECT_NE(message.find("behind the inner hunt"), message.npos) << message;
  EXPECT_NE(message.find("lockstep1/outer/"), message.npos) << message;
}

TEST(GTestFailuresTest, AnExpectationThatHoldsIsNoViolation) {
  const LockUnderTest holds("holds", [](Contender& self, Path lock, std::uint32_t rounds) {
    EXPECT_EQ(rounds, 1U);
    SUCCEED();
    return contend_for<FairMutex>(self, std::move(lock), rounds);
  });
  EXPECT_TRUE(no_violation(holds, with_executions()));
}

// After the hunt, failures go to GoogleTest as before.
TEST(GTestFailuresTest, GoogleTestHearsOfFailuresAfterTheHunt) {
  const LockUnderTest lock("first", &expect_to_be_first);
  EXPECT_FALSE(no_violation(lock, with_executions()));
  EXPECT_NONFATAL_FAILURE(ADD_FAILURE() << "heard", "heard");
}

}  // namespace
}  // namespace lockstep::lab
