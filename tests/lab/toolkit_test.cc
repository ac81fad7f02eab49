// The parts for one's own code under test: shared memory in the lanes, a condition for fibers.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <tuple>

#include "lockstep/lab/condition.h"
#include "lockstep/lab/hunt.h"
#include "lockstep/lab/shared.h"
#include "lockstep/when_all.h"

namespace lockstep::lab {
namespace {

HuntSettings some_without_faults() {
  HuntSettings settings;
  settings.executions = 500;
  settings.faults = fakezk::FaultPlan();
  settings.size = {2, 1};
  return settings;
}

// An increment that is two events: another contender may come between.
Task<void> count(Contender& self, Shared<int>& visits) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->exists("/lock"));
  const int before = visits.read(self);
  static_cast<void>(co_await (*session)->exists("/lock"));
  visits.write(self, before + 1);
}

TEST(SharedTest, ReadsAndWritesAreInTheLanes) {
  Shared<int> visits("visits", 0);
  LockUnderTest lock("count", [&](Contender& self, Path, std::uint32_t) -> Task<void> {
    return count(self, visits);
  });
  lock.at_start = [&] { visits.reset(); };
  lock.check_at_end = [&](const fakezk::World& world, search::Verdict& verdict) {
    if (visits.value() != 2) verdict.report("user:lost", "a visit is not counted", world.steps());
  };
  const HuntReport report = hunt_lock(lock, some_without_faults());
  ASSERT_TRUE(report.failure) << report.text();
  EXPECT_EQ(report.failure->violation.oracle, "user:lost");
  EXPECT_NE(report.text().find("reads visits: 0"), std::string::npos) << report.text();
  EXPECT_NE(report.text().find("writes visits: 1"), std::string::npos) << report.text();
}

// Two threads of one process: one waits for what the other learns from ZooKeeper.
Task<void> wait_and_notify(Contender& self, bool notifies) {
  Executor& executor = self.client().executor();
  Condition changed(executor);
  bool known = false;
  Task<void> waiter = self.on_fiber([&] { changed.wait([&] { return known; }); });
  Task<void> other = self.on_fiber([&] {
    blocking::run(executor, [&]() -> Task<void> {
      return [](Contender& asks) -> Task<void> {
        const auto session = co_await asks.client().session(Context());
        if (session) static_cast<void>(co_await (*session)->exists("/lock"));
      }(self);
    });
    known = true;
    if (notifies) changed.notify_all();
  });
  static_cast<void>(co_await when_all(std::move(waiter), std::move(other)));
}

HuntReport hunt_condition(bool notifies) {
  LockUnderTest lock("condition", [notifies](Contender& self, Path, std::uint32_t) -> Task<void> {
    return wait_and_notify(self, notifies);
  });
  return hunt_lock(lock, some_without_faults());
}

TEST(ConditionTest, AFiberGoesOnAfterANotification) {
  const HuntReport report = hunt_condition(true);
  EXPECT_TRUE(report.passed()) << report.text();
}

TEST(ConditionTest, WithoutOneItWaitsForEver) {
  const HuntReport report = hunt_condition(false);
  ASSERT_TRUE(report.failure) << report.text();
  EXPECT_EQ(report.failure->violation.oracle, "L1");
}

}  // namespace
}  // namespace lockstep::lab
