#include "lockstep/lab/inside.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lockstep/fair_mutex.h"
#include "lockstep/lab/hunt.h"

namespace lockstep::lab {
namespace {

Task<void> work(Session& session) { static_cast<void>(co_await session.exists("/lock")); }

// No grant is reported to the oracles, so only the resource judges.
Task<void> work_under_a_lock(Contender& self, Path lock, bool until_suspect) {
  const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
  if (!session) co_return;
  FairMutex mutex(**session, lock);
  Result<HeldLock> held = co_await mutex.acquire();
  if (!held) co_return;
  {
    Inside inside(self, **session, held->cause());
    if (until_suspect) inside.leave_at(held->suspect_token());
    co_await work(**session);
  }
  co_await held->release();
}

Task<void> work_without_a_lock(Contender& self, Path, std::uint32_t) {
  const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
  if (!session) co_return;
  co_await work(**session);
  const Inside inside(self, **session, std::nullopt);
  co_await work(**session);
}

HuntReport hunt(Contend contend) {
  HuntSettings settings{.executions = 5'000};
  return hunt_lock(LockUnderTest("inside", std::move(contend)), settings);
}

TEST(InsideTest, TwoContendersInsideBreakS2) {
  const HuntReport report = hunt(&work_without_a_lock);
  ASSERT_TRUE(report.failure) << report.text();
  EXPECT_EQ(report.failure->violation.oracle, "S2") << report.text();
}

TEST(HuntReportTest, NamesTheSmallerSceneInWhichTheViolationIsDrawn) {
  HuntSettings settings{.size = {4, 3}};
  const HuntReport report = hunt_lock("inside", &work_without_a_lock, settings);
  ASSERT_TRUE(report.failure) << report.text();
  EXPECT_LT(report.failure->clients, 4U);
  ASSERT_GT(report.failure->original_steps, report.failure->steps) << report.text();
  const std::string drawn =
      std::to_string(report.failure->steps) + " steps with 2 clients, 1 round";
  const std::string found = "(found with 4 clients, 3 rounds each, after " +
                            std::to_string(report.failure->original_steps) + " steps)";
  EXPECT_NE(report.text().find(drawn), std::string::npos) << report.text();
  EXPECT_NE(report.text().find(found), std::string::npos) << report.text();
}

TEST(InsideTest, AHolderThatLeavesWhenItsGrantIsSuspectIsAlone) {
  const HuntReport report = hunt([](Contender& self, Path lock, std::uint32_t) -> Task<void> {
    return work_under_a_lock(self, lock, true);
  });
  EXPECT_TRUE(report.passed()) << report.text();
}

TEST(InsideTest, AHolderThatStaysAfterItsSessionIsNotAlone) {
  const HuntReport report = hunt([](Contender& self, Path lock, std::uint32_t) -> Task<void> {
    return work_under_a_lock(self, lock, false);
  });
  ASSERT_TRUE(report.failure) << report.text();
  EXPECT_EQ(report.failure->violation.oracle, "S2") << report.text();
}

// A grant that has already ended is no critical section.
Task<void> work_after_the_end(Contender& self, Path, std::uint32_t) {
  const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
  if (!session) co_return;
  const Inside inside(self, **session, Error::kSessionExpired);
  co_await work(**session);
}

TEST(InsideTest, InsideIsEmptyAfterTheEndOfTheGrant) {
  const HuntReport report = hunt(&work_after_the_end);
  const std::string_view oracle =
      report.failure ? std::string_view(report.failure->violation.oracle) : "";
  EXPECT_NE(oracle, "S2") << report.text();
}

}  // namespace
}  // namespace lockstep::lab
