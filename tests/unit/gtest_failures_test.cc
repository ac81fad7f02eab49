#include "lockstep/fake/gtest_failures.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>

#include "lockstep/fair_mutex.h"
#include "lockstep/fake/blocking_scenario.h"
#include "lockstep/fake/gtest.h"

// Expectations inside what is hunted.
namespace lockstep::fake {
namespace {

HuntSettings quick(std::uint64_t executions = 2'000) {
  HuntSettings settings;
  settings.executions = executions;
  return settings;
}

// A expects to be the first at the queue, which it calmly is.
Task<void> expect_to_be_first(Contender& self, Path lock, std::uint32_t rounds) {
  const auto session = co_await self.client().session(Context());
  if (!session) co_return;
  const auto queue = co_await (*session)->get_children(lock);
  const bool looks = queue && self.client().name() == "A";
  EXPECT_TRUE(!looks || queue->size() == 0) << "not the first";
  co_await contend_for<FairMutex>(self, lock, rounds);
}

std::string message_of(const LockUnderTest& lock) {
  const ::testing::AssertionResult result = no_violation(lock, quick());
  EXPECT_FALSE(result);
  return result.message();
}

TEST(GTestFailuresTest, WhatAContenderExpectsIsReportedWithItsSchedule) {
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

TEST(GTestFailuresTest, WhatCodeThatBlocksAssertsIsReportedToo) {
  const LockUnderTest lock("blocks", [](Contender& self, Path, std::uint32_t rounds) {
    return self.on_fiber([&self, rounds] { block_and_assert(self, rounds); });
  });
  const std::string message = message_of(lock);
  EXPECT_NE(message.find("user:expectation"), message.npos) << message;
  EXPECT_NE(message.find("there is a session"), message.npos) << message;
}

TEST(GTestFailuresTest, JudgesAndBeginningsMayExpectAsWell) {
  LockUnderTest lock = lock_under_test<FairMutex>("fair-mutex");
  lock.at_start = [] { EXPECT_TRUE(false) << "at the start"; };
  EXPECT_NE(message_of(lock).find("at the start"), std::string::npos);
  lock.at_start = nullptr;
  lock.check_at_end = [](const fakezk::World&, fakezk::Verdict&) { ADD_FAILURE() << "at the end"; };
  EXPECT_NE(message_of(lock).find("at the end"), std::string::npos);
}

TEST(GTestFailuresTest, AThreadOfItsOwnFailsTheTestWithoutASchedule) {
  const LockUnderTest threads("threads", [](Contender& self, Path lock, std::uint32_t rounds) {
    std::thread([] { EXPECT_TRUE(false) << "on a thread of its own"; }).join();
    return contend_for<FairMutex>(self, std::move(lock), rounds);
  });
  const ::testing::AssertionResult result = no_violation(threads, quick(2));
  EXPECT_FALSE(result);
  EXPECT_NE(std::string(result.message()).find("on a thread of its own"), std::string::npos);
}

TEST(GTestFailuresTest, WhatHoldsIsNoViolation) {
  const LockUnderTest holds("holds", [](Contender& self, Path lock, std::uint32_t rounds) {
    EXPECT_EQ(rounds, 1U);
    SUCCEED();
    return contend_for<FairMutex>(self, std::move(lock), rounds);
  });
  EXPECT_TRUE(no_violation(holds, quick()));
}

// As before, once the hunt is over.
TEST(GTestFailuresTest, AfterwardsGoogleTestHearsOfFailuresAgain) {
  const LockUnderTest lock("first", &expect_to_be_first);
  EXPECT_FALSE(no_violation(lock, quick()));
  EXPECT_NONFATAL_FAILURE(ADD_FAILURE() << "heard", "heard");
}

}  // namespace
}  // namespace lockstep::fake
