// Orders that an exhaustive search once overlooked.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "lockstep/fake/session.h"
#include "lockstep/lab/hunt.h"

namespace lockstep::lab {
namespace {

void expect_every_reduction_finds(Contend contend, ScenarioSize size, const char* faults) {
  LockUnderTest lock("overlooked", std::move(contend));
  lock.isolated = true;
  for (const char* const reduction : {"none", "sleep", "source"}) {
    HuntSettings settings{.size = size,
                          .faults = faults_called(faults, 1),
                          .strategy = "exhaustive",
                          .reduction = reduction};
    const HuntReport report = hunt_lock(lock, settings);
    ASSERT_TRUE(report.failure) << reduction << ": " << report.text();
    EXPECT_EQ(report.failure->violation.oracle, "user:found") << reduction;
  }
}

// Drops a session that reconnects after a cut. The violation needs the welcome to come first.
Task<void> drop_another_session(Contender& self, Path, std::uint32_t) {
  const auto opened = co_await self.client().session(Context());
  if (!opened) co_return;
  Session& session = **opened;
  const auto other =
      std::make_shared<fake::FakeSession>(self.client().fake().process(), std::chrono::seconds(4));
  static_cast<void>(co_await other->connected());
  const auto created = co_await other->create("/n", Data("2"), CreateMode::kEphemeral);
  if (created) co_return;
  static_cast<void>(co_await session.sync("/a"));
  const bool connected_before = other->state() == SessionState::kConnected;
  static_cast<void>(co_await session.exists("/n"));
  const bool connected_after = other->state() == SessionState::kConnected;
  if (!connected_before && connected_after) self.oracles().violated("user:found", "reconnected");
}

TEST(OverlookedOrdersTest, AWelcomeMayComeBeforeItsSessionIsDropped) {
  expect_every_reduction_finds(&drop_another_session, {1, 1}, "cut");
}

// The first contender asks whether it has met the second one, which only comes and goes.
Task<void> meet(Contender& self, Path lock, std::uint32_t) {
  const auto opened = co_await self.client().session(Context());
  if (!opened) co_return;
  Session& session = **opened;
  const std::uint32_t me = self.client().process().index();
  if (me == 1) {
    const auto made =
        co_await session.create(lock / "x-lock-", Data("x"), CreateMode::kEphemeralSequential);
    if (made) static_cast<void>(co_await session.remove(made->path));
    co_return;
  }
  self.oracles().acquiring(session.id(), me);
  static_cast<void>(co_await session.exists("/zookeeper"));
  const bool has_met = self.oracles().has_met(session.id(), 0, judge::LockOracles::Others::kAny);
  if (!has_met) self.oracles().violated("user:found", "nobody was in the way");
  self.oracles().resolved(session.id());
}

TEST(OverlookedOrdersTest, AContenderMayComeBeforeOrAfterAnotherLooksForIt) {
  expect_every_reduction_finds(&meet, {2, 1}, "none");
}

}  // namespace
}  // namespace lockstep::lab
