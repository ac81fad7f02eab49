// Requests that a server has read before their connection ended. A test cannot control when a real
// server is slow, so the fake is made to be. Each test names the statement of ZooKeeper's source
// (3.8.0) that it follows.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string_view>

#include "server/three_replicas.h"
#include "support/by_hand.h"

namespace lockstep::fakezk {
namespace {

using namespace unit;

// Records the possible strays, and chooses the last of them.
class LastStray final : public Chooser {
 public:
  Choice next(const Menu& menu) override {
    Choice choice;
    offered = 0;
    for (std::uint32_t i = 0; i < menu.events().size(); ++i) {
      if (menu.events()[i].kind != Event::Kind::kStray) continue;
      choice.index = i;
      ++offered;
    }
    return choice;
  }
  std::uint32_t number(std::uint32_t) override { return 0; }

  int offered = 0;
};

// A server queues what it reads from any connection (ZooKeeperServer.enqueueRequest, line 1122;
// PrepRequestProcessor.submittedRequests), and a connection that takes over a session comes after
// the one that it closes (ZooKeeperServer.processConnectRequest, line 1460).
TEST(StraysTest, Z68StraysOfOneSessionComeInTheOrderOfItsConnections) {
  Simulation simulation;
  const auto session = simulation.open("A");
  simulation.start(ignore(create(*session, "/first")));
  simulation.cut_late(*session, 1);
  lose_and_reconnect(simulation, *session);
  simulation.start(ignore(create(*session, "/second")));
  simulation.cut_late(*session, 1);
  ASSERT_EQ(simulation.world().server().strays().size(), 2U);
  LastStray chooser;
  simulation.world().step(chooser);
  EXPECT_EQ(chooser.offered, 1);
  EXPECT_TRUE(simulation.exists("/first"));
  EXPECT_FALSE(simulation.exists("/second"));
  simulation.world().step(chooser);
  EXPECT_TRUE(simulation.exists("/second"));
}

Task<void> show(Session& session, std::string_view scheme) {
  static_cast<void>(co_await session.add_auth(scheme, "user:secret"));
}
Task<void> create_mine(Session& session) {
  const Creation mine(CreateMode::kPersistent, Acl::creator_only());
  static_cast<void>(co_await session.create("/mine", "", mine));
}

// The server looks at a credential when it reads it, and gives each later request the identities of
// its connection (ZooKeeperServer.processPacket). After a rejection it reads nothing.
TEST(StraysTest, Z77StraysHaveTheIdentitiesThatWereShownBeforeThem) {
  for (const bool known : {true, false}) {
    Simulation simulation;
    const auto session = simulation.open("A");
    simulation.start(ignore(create(*session, "/before")));
    simulation.start(show(*session, known ? "digest" : "unknown"));
    simulation.start(create_mine(*session));
    simulation.start(ignore(create(*session, "/after")));
    simulation.cut_late(*session, 4);
    simulation.settle();
    EXPECT_TRUE(simulation.exists("/before"));
    EXPECT_EQ(simulation.exists("/mine"), known);
    EXPECT_EQ(simulation.exists("/after"), known);
  }
}

// Strays of different sessions come from different connections, in any order.
TEST(StraysTest, Z68StraysOfTwoSessionsKeepNoOrder) {
  Simulation simulation;
  const auto session = simulation.open("A");
  const auto other = simulation.open("B");
  simulation.start(ignore(create(*session, "/first")));
  simulation.cut_late(*session, 1);
  simulation.start(ignore(create(*other, "/second")));
  simulation.cut_late(*other, 1);
  LastStray chooser;
  simulation.world().step(chooser);
  EXPECT_EQ(chooser.offered, 2);
  EXPECT_FALSE(simulation.exists("/first"));
  EXPECT_TRUE(simulation.exists("/second"));
}

// SetWatches is queued like any other request (ZooKeeperServer.processPacket, line 1669;
// PrepRequestProcessor.pRequest, line 920; FinalRequestProcessor.processRequest, line 387).
TEST(StraysTest, Z46WatchesAreSetAgainAfterTheStrays) {
  Simulation simulation;
  const auto session = simulation.open("A");
  const Watch watch = must(simulation.run(watch_exists(*session, "/a")), "exists");
  simulation.start(ignore(create(*session, "/a")));
  simulation.cut_late(*session, 1);
  ASSERT_FALSE(simulation.world().server().replica(0).data_watches().any());
  const auto event = simulation.start(fired(watch));
  Calm calm;
  while (!event.done()) {
    ASSERT_TRUE(simulation.world().step_without_time(calm));
    // It exists by then, so no watch is armed.
    EXPECT_FALSE(simulation.world().server().replica(0).data_watches().any());
  }
  EXPECT_EQ(must(event.result(), "fired").type(), EventType::kCreated);
}

// A follower that has lost its leader forgets what it has not forwarded
// (FollowerRequestProcessor.shutdown, line 174: queuedRequests.clear).
TEST(StraysTest, Z81AServerWithoutItsLeaderPassesNothingOn) {
  for (const bool isolated_first : {false, true}) {
    Simulation simulation(three_replicas());
    const auto session = std::make_shared<FakeSession>(simulation.client("A").process(), 10s);
    simulation.send_to(*session, kFar);
    simulation.settle();
    simulation.start(ignore(create(*session, "/a")));
    simulation.send_to(*session, kNear);
    if (isolated_first) simulation.isolate(kFar);
    simulation.cut_late(*session, 1);
    if (!isolated_first) simulation.isolate(kFar);
    // Before the session has another server, which would settle it as well.
    EXPECT_EQ(simulation.world().server().strays().size(), 0U);
    simulation.run();
    EXPECT_FALSE(simulation.exists("/a"));
  }
}

}  // namespace
}  // namespace lockstep::fakezk
