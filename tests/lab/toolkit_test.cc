// Tools for a user's own code under test: shared memory in the lanes, a condition variable for
// fibers.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "lab/hunts.h"
#include "lockstep/lab/condition.h"
#include "lockstep/lab/hunt.h"
#include "lockstep/lab/replay.h"
#include "lockstep/lab/shared.h"
#include "lockstep/sleep.h"
#include "lockstep/when_all.h"

namespace lockstep::lab {
namespace {

// An increment in two events: another contender may run in between.
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
  const HuntReport report = hunt_lock(lock, calm_hunt(500));
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
  return hunt_lock(lock, calm_hunt(500));
}

TEST(ConditionTest, AFiberGoesOnAfterANotification) {
  const HuntReport report = hunt_condition(true);
  EXPECT_TRUE(report.passed()) << report.text();
}

TEST(ConditionTest, AFiberWithoutANotificationWaitsForever) {
  const HuntReport report = hunt_condition(false);
  ASSERT_TRUE(report.failure) << report.text();
  EXPECT_EQ(report.failure->violation.oracle, "L1");
}

// -- A condition with a limit.

struct Waited {
  bool held = false;
  Duration took = {};
};

// One fiber waits for at most `limit`; another one changes the value after `change_after`.
Task<void> wait_within(Contender& self, Waited& waited, Duration change_after, Duration limit) {
  Executor& executor = self.client().executor();
  // Behind the clock's first instant, the end of the longest limit is later than it can tell.
  static_cast<void>(co_await sleep_for(executor, std::chrono::seconds(1)));
  Condition changed(executor);
  bool known = false;
  Task<void> waiter = self.on_fiber([&] {
    const TimePoint begin = executor.now();
    waited.held = changed.wait_for([&] { return known; }, limit);
    waited.took = executor.now() - begin;
  });
  Task<void> other = self.on_fiber([&] {
    blocking::run(executor, [&]() -> Task<void> {
      return [](Executor& clock, Duration time) -> Task<void> {
        if (time > Duration::zero()) static_cast<void>(co_await sleep_for(clock, time));
      }(executor, change_after);
    });
    known = true;
    changed.notify_all();
  });
  static_cast<void>(co_await when_all(std::move(waiter), std::move(other)));
}

// Uses the default schedule, in which time passes only when nothing else can happen.
Waited wait_in_the_default_schedule(Duration change_after,
                                    Duration limit = std::chrono::seconds(2)) {
  Waited waited;
  LockUnderTest lock("limit",
                     [&, change_after, limit](Contender& self, Path, std::uint32_t) -> Task<void> {
                       return wait_within(self, waited, change_after, limit);
                     });
  const ReplayReport report = run_schedule(lock, {1, 1}, {}, {});
  EXPECT_TRUE(report.passed()) << report.text();
  return waited;
}

TEST(ConditionTest, AWaitWithALimitEndsWithTheNotification) {
  const Waited waited = wait_in_the_default_schedule(std::chrono::seconds(1));
  EXPECT_TRUE(waited.held);
  EXPECT_EQ(waited.took, std::chrono::seconds(1));
}

TEST(ConditionTest, AWaitWithALimitEndsAtItWithoutANotification) {
  const Waited waited = wait_in_the_default_schedule(std::chrono::seconds(3));
  EXPECT_FALSE(waited.held);
  EXPECT_EQ(waited.took, std::chrono::seconds(2));
}

TEST(ConditionTest, AWaitForTheLongestDurationHasNoEnd) {
  const Waited waited = wait_in_the_default_schedule(std::chrono::hours(24 * 365), Duration::max());
  EXPECT_TRUE(waited.held);
  EXPECT_EQ(waited.took, std::chrono::hours(24 * 365));
}

// The fault `timer` lets a timer fire early. It needs a timer.
std::string steps_of_a_wait(bool known) {
  LockUnderTest lock("no-timer", [known](Contender& self, Path, std::uint32_t) -> Task<void> {
    return self.on_fiber([&self, known] {
      Condition changed(self.client().executor());
      static_cast<void>(changed.wait_for([&] { return known; }, std::chrono::seconds(2)));
    });
  });
  return run_schedule(lock, {1, 1}, {}, {}).text();
}

TEST(ConditionTest, AWaitIsATimerOnlyIfItWaits) {
  EXPECT_EQ(steps_of_a_wait(true).find("a timer"), std::string::npos) << steps_of_a_wait(true);
  EXPECT_NE(steps_of_a_wait(false).find("a timer"), std::string::npos) << steps_of_a_wait(false);
}

// -- A session that is left while its completions are under way.

// Sends a request on one session, and goes on with another one before the answer.
Task<void> ask_and_leave(Contender& self, bool& late) {
  const auto session = co_await self.client().session(Context());
  const SessionId first = (*session)->id();
  TaskSet asking;
  bool answered = false;
  asking.spawn([](Session& of, bool& done) -> Task<void> {
    static_cast<void>(co_await of.exists("/lock"));
    done = true;
  }(**session, answered));
  const std::shared_ptr<Session> old = self.client().leave_session();
  EXPECT_EQ(old->id(), first);
  const auto next = co_await self.client().session(Context());
  EXPECT_NE((*next)->id(), first);
  EXPECT_EQ(old->state(), SessionState::kConnected);
  static_cast<void>(co_await (*next)->exists("/lock"));
  if (!answered) late = true;
  static_cast<void>(co_await old->exists("/lock"));
  EXPECT_TRUE(answered);
}

TEST(LeaveSessionTest, CompletionsOfTheOldSessionComeLate) {
  bool late = false;
  LockUnderTest lock("leave", [&](Contender& self, Path, std::uint32_t) -> Task<void> {
    return ask_and_leave(self, late);
  });
  const HuntReport report = hunt_lock(lock, calm_hunt(500));
  EXPECT_TRUE(report.passed()) << report.text();
  EXPECT_TRUE(late);
}

// A request on the session that was left keeps its contender waiting.
Task<void> wait_on_the_old_one(Contender& self, Path lock) {
  const auto session = co_await self.client().session(Context());
  auto children = co_await (*session)->get_children_watched(lock);
  const std::shared_ptr<Session> old = self.client().leave_session();
  static_cast<void>(co_await self.client().session(Context()));
  static_cast<void>(co_await children->watch.fired());
}

TEST(LeaveSessionTest, AReportNamesWaitsOnTheOldSession) {
  LockUnderTest lock("leave", [](Contender& self, Path path, std::uint32_t) -> Task<void> {
    return wait_on_the_old_one(self, path);
  });
  const HuntReport report = hunt_lock(lock, calm_hunt(500));
  ASSERT_TRUE(report.failure) << report.text();
  EXPECT_EQ(report.failure->violation.oracle, "L1");
  EXPECT_NE(report.text().find("A waits for a change of /lock"), std::string::npos)
      << report.text();
}

TEST(LeaveSessionTest, DroppingTheOldSessionClosesIt) {
  LockUnderTest lock("leave", [](Contender& self, Path path, std::uint32_t) -> Task<void> {
    return [](Contender& leaves, Path parent) -> Task<void> {
      auto session = co_await leaves.client().session(Context());
      const Path ours = parent / "ours";
      static_cast<void>(co_await (*session)->create(ours, Data(), CreateMode::kEphemeral));
      (*session).reset();
      leaves.client().leave_session().reset();
      const auto next = co_await leaves.client().session(Context());
      for (;;) {
        const auto found = co_await (*next)->exists(ours);
        if (!found) co_return;
      }
    }(self, path);
  });
  HuntSettings settings = calm_hunt(500);
  settings.size = {1, 1};
  const HuntReport report = hunt_lock(lock, settings);
  EXPECT_TRUE(report.passed()) << report.text();
}

}  // namespace
}  // namespace lockstep::lab
