// Several users of one session: their lanes, the judges' words about them, and waiting for them.
#include "lockstep/lab/users.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "lockstep/blocking/mutex.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/lab/hunt.h"
#include "lockstep/lab/inside.h"
#include "lockstep/lab/replay.h"
#include "lockstep/lab/shared.h"
#include "lockstep/sleep.h"

namespace lockstep::lab {
namespace {

HuntReport hunt_users(Contend contend, const fakezk::FaultPlan& faults = {}) {
  HuntSettings settings{.size = {2, 1}, .faults = faults, .executions = 3'000};
  LockUnderTest lock("users", std::move(contend));
  lock.isolated = true;
  return hunt_lock(lock, settings);
}

bool says(const HuntReport& report, std::string_view text) {
  return report.text().find(text) != std::string::npos;
}

Task<void> hold(User& user, Session& session, Path path) {
  FairMutex mutex(session, std::move(path), &user.contender().oracles());
  user.acquiring(session);
  Result<HeldLock> held = co_await mutex.acquire();
  user.resolved(session);
  if (!held) co_return;
  {
    Inside inside(user, session, held->cause());
    inside.leave_at(held->suspect_token());
    static_cast<void>(co_await session.exists("/lock"));
  }
  co_await held->release();
}

Task<void> hold_by_two(Contender& self, Path path, std::uint32_t) {
  const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
  if (!session) co_return;
  Users users(self);
  for (int i = 0; i < 2; ++i) {
    users.start([&](User& user) -> Task<void> { return hold(user, **session, path); });
  }
  co_await users.join();
  EXPECT_EQ(users.running(), 0U);
}

TEST(UsersTest, UsersOfOneSessionAreJudgedSeparatelyUnderAllFaults) {
  const HuntReport report = hunt_users(&hold_by_two, fakezk::FaultPlan::all(2));
  EXPECT_TRUE(report.passed()) << report.text();
  EXPECT_GT(report.judged.of(search::Oracle::kS2), 0U);
}

// Its users end in the middle of their acquires.
Task<void> let_two_begin(Contender& self, Path path, std::uint32_t) {
  const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
  if (!session) co_return;
  Users users(self);
  for (int i = 0; i < 2; ++i) {
    users.start([&](User& user) -> Task<void> { return hold(user, **session, path); });
  }
  static_cast<void>(co_await (*session)->exists("/lock"));
}

TEST(UsersTest, AUserThatIsEndedNeedNotReportTheEndOfItsAcquire) {
  const HuntReport report = hunt_users(&let_two_begin);
  EXPECT_TRUE(report.passed()) << report.text();
  EXPECT_GT(report.judged.of(search::Oracle::kS5), 0U);
}

// Nothing excludes users of one session.
Task<void> enter(User& user, Session& session) {
  static_cast<void>(co_await session.exists("/lock"));
  const Inside inside(user, session, std::nullopt);
  static_cast<void>(co_await session.exists("/lock"));
}

Task<void> enter_by_two(Contender& self, Path, std::uint32_t) {
  if (self.client().name() != "A") co_return;
  const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
  if (!session) co_return;
  Users users(self);
  users.start([&](User& user) -> Task<void> { return enter(user, **session); });
  users.start([&](User& user) -> Task<void> { return enter(user, **session); });
  co_await users.join();
}

TEST(UsersTest, TwoInsideBreakS2AndAreNamed) {
  const HuntReport report = hunt_users(&enter_by_two);
  ASSERT_TRUE(report.failure) << report.text();
  EXPECT_EQ(report.failure->violation.oracle, "S2");
  EXPECT_TRUE(says(report, "A.2 enters while A.1, which is connected, is still inside"))
      << report.text();
  // The lanes of the process and its users, from the first line.
  const std::string lanes = report.failure->lanes.substr(0, report.failure->lanes.find('\n'));
  EXPECT_LT(lanes.find("A "), lanes.find("A.1")) << report.text();
  EXPECT_LT(lanes.find("A.1"), lanes.find("A.2")) << report.text();
  const LockUnderTest lock("users", &enter_by_two);
  const ReplayReport again = replay_lock(report.failure->replay, lock);
  ASSERT_TRUE(again.violation) << again.text();
  EXPECT_TRUE(again.as_recorded);
}

TEST(UsersTest, ThePageOfAFailureHasTheirLanes) {
  const HuntReport report = hunt_users(&enter_by_two);
  ASSERT_TRUE(report.failure);
  EXPECT_NE(report.html().find(R"("lanes":["A","A.1","A.2")"), std::string::npos);
}

// A user that leaves ends its own visit, but no other user's.
Task<void> leave_and_let_enter(Contender& self, Path, std::uint32_t) {
  if (self.client().name() != "A") co_return;
  const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
  if (!session) co_return;
  const User first(self, 1);
  const User second(self, 2);
  std::optional<Inside> inside;
  inside.emplace(first, **session, std::nullopt);
  const Inside nowhere(second, **session, Error::kSessionExpired);
  self.resource().leave(**session, second.number());
  const Inside too_early(second, **session, std::nullopt);
}

TEST(UsersTest, LeavingEndsOnlyAUsersOwnVisit) {
  const HuntReport report = hunt_users(&leave_and_let_enter);
  ASSERT_TRUE(report.failure) << report.text();
  EXPECT_EQ(report.failure->violation.oracle, "S2");
}

// One user acquires without a deadline, the other one within a second. `in_time`: that one resolves
// first.
Task<void> acquire_for_a_second(Contender& self, bool in_time) {
  const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
  if (!session) co_return;
  const User first(self, 1);
  const User second(self, 2);
  const Context second_long(self.client().executor().now() + std::chrono::seconds(1));
  first.acquiring(**session);
  second.acquiring(**session, second_long);
  (in_time ? second : first).resolved(**session);
  static_cast<void>(co_await sleep_for(self.client().executor(), std::chrono::seconds(10)));
  (in_time ? first : second).resolved(**session);
}

TEST(UsersTest, DeadlinesOfUsersAreJudgedSeparately) {
  for (const bool in_time : {true, false}) {
    const HuntReport report =
        hunt_users([in_time](Contender& self, Path, std::uint32_t) -> Task<void> {
          return acquire_for_a_second(self, in_time);
        });
    const std::string_view oracle =
        report.failure ? std::string_view(report.failure->violation.oracle) : "";
    EXPECT_EQ(oracle, in_time ? "" : "L4") << report.text();
  }
}

// One of the users waits for an event that never comes.
Task<void> wait_for_nothing(Contender& self, Path, std::uint32_t) {
  AsyncEvent never(self.client().executor());
  Users users(self);
  users.start([](User&) -> Task<void> { co_return; });
  users.start([&](User&) -> Task<void> {
    return [](AsyncEvent& event) -> Task<void> { static_cast<void>(co_await event.wait()); }(never);
  });
  co_await users.join();
}

TEST(UsersTest, AUserThatWaitsForeverIsNamed) {
  const HuntReport report = hunt_users(&wait_for_nothing);
  ASSERT_TRUE(report.failure) << report.text();
  EXPECT_EQ(report.failure->violation.oracle, "L1");
  EXPECT_TRUE(says(report, "A.2 waits for an event that never comes")) << report.text();
  EXPECT_FALSE(says(report, "A.1 waits")) << report.text();
}

TEST(UsersTest, AnExceptionOfAUserIsACrash) {
  const HuntReport report = hunt_users([](Contender& self, Path, std::uint32_t) -> Task<void> {
    Users users(self);
    users.start([](User&) -> Task<void> {
      throw std::runtime_error("no seat left");
      co_return;
    });
    co_await users.join();
  });
  ASSERT_TRUE(report.failure) << report.text();
  EXPECT_EQ(report.failure->violation.oracle, "crash");
  EXPECT_TRUE(says(report, "no seat left")) << report.text();
}

// -- Blocking code.

void block_once(User& user, blocking::FairMutex& mutex, Shared<int>& visits) {
  const std::unique_lock held(mutex);
  const int before = visits.read(user);
  blocking::run(user.contender().client().executor(), [&] {
    return [](Contender& self) -> Task<void> {
      static_cast<void>(co_await self.client().current()->exists("/lock"));
    }(user.contender());
  });
  visits.write(user, before + 1);
}

void block_by_two(Contender& self, const Path& path, Shared<int>& visits) {
  blocking::FairMutex one(self.client(), path);
  blocking::FairMutex other(self.client(), path);
  Users users(self);
  users.start_on_fiber([&](User& user) { block_once(user, one, visits); });
  users.start_on_fiber([&](User& user) { block_once(user, other, visits); });
  users.join_blocking();
}

TEST(UsersTest, BlockingUsersRunOnSeparateFibers) {
  Shared<int> visits("visits", 0);
  LockUnderTest lock("visits", [&](Contender& self, Path path, std::uint32_t) -> Task<void> {
    return self.on_fiber([&self, &visits, path] { block_by_two(self, path, visits); });
  });
  lock.at_start = [&] { visits.reset(); };
  lock.check_at_end = [&](const fakezk::World& world, search::Verdict& verdict) {
    if (visits.value() != 4) verdict.report("user:lost", "a visit is not counted", world.steps());
  };
  HuntSettings settings{.size = {2, 1}, .faults = {}, .executions = 1'000};
  const HuntReport report = hunt_lock(lock, settings);
  EXPECT_TRUE(report.passed()) << report.text();
}

TEST(UsersTest, ACrashUnwindsUsersOnTheirFibers) {
  Shared<int> visits("visits", 0);
  LockUnderTest lock("visits", [&](Contender& self, Path path, std::uint32_t) -> Task<void> {
    return self.on_fiber([&self, &visits, path] { block_by_two(self, path, visits); });
  });
  HuntSettings settings{
      .size = {2, 1}, .faults = faults_called("crash,expiry", 2), .executions = 2'000};
  const HuntReport report = hunt_lock(lock, settings);
  // Without its session a mutex throws, and a user's exception counts as a crash.
  if (!report.passed()) {
    EXPECT_EQ(report.failure->violation.oracle, "crash") << report.text();
  }
}

}  // namespace
}  // namespace lockstep::lab
