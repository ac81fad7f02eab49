// ZooKeeper's own C client, through the production backend, against the simulated servers behind
// sockets.
#ifdef LOCKSTEP_WITH_ZOOKEEPER
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "lockstep/fair_mutex.h"
#include "lockstep/service/control.h"
#include "lockstep/when_all.h"
#include "lockstep/zookeeper/client.h"
#include "lockstep/zookeeper/runtime.h"
#include "served.h"
#include "support/session_waits.h"

namespace lockstep::service {
namespace {

using support::StateReached;

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(std::string(name(result.error())));
  return std::move(*result);
}

Task<HeldLock> acquire(FairMutex& mutex, Executor& executor) {
  const Context patience(executor.now() + std::chrono::seconds(60));
  Result<HeldLock> held = co_await mutex.acquire(patience);
  co_return must(std::move(held));
}

Task<std::shared_ptr<Session>> open(Client& client) {
  const Context patience(client.executor().now() + std::chrono::seconds(60));
  Result<std::shared_ptr<Session>> session = co_await client.session(patience);
  co_return must(std::move(session));
}

// Waits until the lock has that many contenders.
Task<void> wait_for_queue(Session& session, std::size_t contenders) {
  for (std::size_t found = 0; found < contenders;) {
    Result<Children> queue = co_await session.get_children("/locks/one");
    if (queue) found = queue->size();
  }
}

// Takes the lock once there are `before` contenders, and releases it once there are `after`.
Task<void> contend(Session& session, std::size_t before, std::size_t after, Zxid& token) {
  FairMutex mutex(session, "/locks/one");
  co_await wait_for_queue(session, before);
  HeldLock held = co_await acquire(mutex, session.executor());
  token = held.fencing_token();
  co_await wait_for_queue(session, after);
  EXPECT_EQ(co_await held.release(), ReleaseOutcome::kReleased);
}

class CClientTest : public ::testing::Test {
 protected:
  explicit CClientTest(std::uint32_t servers = 1)
      : served(ServiceOptions{.servers = servers}),
        ann(runtime, zookeeper::Options(served.addresses())),
        bob(runtime, zookeeper::Options(served.addresses())) {}

  Task<void> hand_over();
  Task<void> come_back();
  Task<void> weather_a_storm(std::uint64_t seed, int rounds);

  Served served;
  zookeeper::Runtime runtime;
  zookeeper::Client ann;
  zookeeper::Client bob;
};

class CClientOnEnsembleTest : public CClientTest {
 protected:
  CClientOnEnsembleTest() : CClientTest(3) {}
};

// Ann holds until Bob waits. He gets it with a greater token.
Task<void> CClientTest::hand_over() {
  const auto anns = co_await open(ann);
  const auto bobs = co_await open(bob);
  Zxid anns_token = 0;
  Zxid bobs_token = 0;
  co_await when_all(contend(*anns, 0, 2, anns_token), contend(*bobs, 1, 1, bobs_token));
  EXPECT_GT(anns_token, 0);
  EXPECT_GT(bobs_token, anns_token);
}

// The holder's connection is cut: she keeps her session, her znode and her lock.
Task<void> CClientTest::come_back() {
  Control control(served.service());
  const auto anns = co_await open(ann);
  FairMutex ann_mutex(*anns, "/locks/one");
  HeldLock held = co_await acquire(ann_mutex, runtime);
  for (int cuts = 0; cuts < 3; ++cuts) {
    StateReached lost(*anns, SessionState::kSuspended);
    EXPECT_TRUE(control.cut(anns->id()).has_value());
    co_await lost;
    co_await StateReached(*anns, SessionState::kConnected);
  }
  EXPECT_FALSE(held.lost_token().stop_requested());
  EXPECT_EQ(co_await held.release(), ReleaseOutcome::kReleased);
  const std::vector<Control::Session> sessions = control.sessions();
  EXPECT_EQ(sessions.size(), 1U);
  EXPECT_EQ(sessions.front().id, anns->id());
}

// The client inside, and the last token seen there.
struct Critical {
  int inside = 0;
  Zxid last = 0;
  int turns = 0;
};

bool has_lost_something(Control& control) {
  return std::ranges::any_of(control.log(), [](const auto& each) { return each.answer == "lost"; });
}

// Takes that many turns, and more until a fault has struck a request.
Task<void> take_turns(Client& client, Control& control, Critical& critical, int rounds) {
  const auto session = co_await open(client);
  for (int round = 0; round < rounds || !has_lost_something(control); ++round) {
    FairMutex mutex(*session, "/locks/storm");
    HeldLock held = co_await acquire(mutex, session->executor());
    EXPECT_EQ(++critical.inside, 1);
    EXPECT_GT(held.fencing_token(), critical.last);
    critical.last = held.fencing_token();
    ++critical.turns;
    const auto seen = co_await session->exists("/locks/storm");
    static_cast<void>(seen);
    --critical.inside;
    const ReleaseOutcome released = co_await held.release();
    static_cast<void>(released);
  }
}

// Sessions survive all of these faults, so locks are exclusive without looking at lost_token().
Task<void> CClientTest::weather_a_storm(std::uint64_t seed, int rounds) {
  Control control(served.service());
  Control::Plan plan{.seed = seed, .every = std::chrono::milliseconds(20), .kinds = {}};
  for (const PlannedFaultName& planned : kPlannedFaults) {
    if (planned.fault != PlannedFault::kExpire) plan.kinds.push_back(planned.fault);
  }
  EXPECT_TRUE(control.plan(plan).has_value());
  Critical critical;
  co_await when_all(take_turns(ann, control, critical, rounds),
                    take_turns(bob, control, critical, rounds));
  control.calm();
  EXPECT_GE(critical.turns, 2 * rounds);
}

TEST_F(CClientTest, HandsALockOver) { runtime.run(hand_over()); }
TEST_F(CClientTest, KeepsALockWhileTheServiceCutsItsConnection) { runtime.run(come_back()); }
TEST_F(CClientOnEnsembleTest, HandsALockOver) { runtime.run(hand_over()); }
TEST_F(CClientOnEnsembleTest, KeepsALockWhileTheServiceCutsItsConnection) {
  runtime.run(come_back());
}
// A plan with faults of every kind except expiry; a long run has many seeds.
TEST_F(CClientOnEnsembleTest, LocksAreExclusiveWhileAPlanStrikes) {
  const std::uint64_t seeds = std::getenv("LOCKSTEP_LONG") ? 50 : 1;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    runtime.run(weather_a_storm(seed, 300));
  }
}

}  // namespace
}  // namespace lockstep::service
#endif
