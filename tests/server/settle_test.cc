// The helpers that prepare scenarios.
#include <gtest/gtest.h>

#include "support/by_hand.h"

namespace lockstep::fakezk {
namespace {

using namespace unit;

class SettleTest : public SimulatedTest {
 protected:
  World& world() { return simulation_.world(); }
};

TEST_F(SettleTest, EverythingInFlightArrives) {
  const auto a = simulation_.open("A");
  const auto b = simulation_.open("B");
  const auto of_a = simulation_.start(create(*a, "/a"));
  const auto of_b = simulation_.start(create(*b, "/b"));
  world().settle();
  EXPECT_TRUE(of_a.done());
  EXPECT_TRUE(of_b.done());
}

// This includes the effects on a client without requests in flight.
TEST_F(SettleTest, AWatchOfAnEarlierClientFires) {
  const auto a = simulation_.open("A");
  const auto b = simulation_.open("B");
  const Watch watch = must(simulation_.run(watch_exists(*a, "/n")), "watch");
  const auto made = simulation_.start(create(*b, "/n"));
  world().settle();
  EXPECT_TRUE(made.done());
  EXPECT_TRUE(watch.has_fired());
}

TEST_F(SettleTest, AStalledProcessReceivesNothing) {
  const auto session = simulation_.open("A");
  Process& process = simulation_.client("A").process();
  const auto created = simulation_.start(create(*session, "/a"));
  world().faults().stall(process);
  world().settle();
  EXPECT_FALSE(created.done());
  world().faults().wake(process);
  world().settle();
  EXPECT_TRUE(created.done());
}

TEST_F(SettleTest, AnOperatorCreatesUnlessTheServersRefuse) {
  const auto session = simulation_.open("A");
  const Request wanted(OpCode::kCreate, Path("/a"));
  EXPECT_TRUE(world().servers().create_as_operator(wanted, world().now()));
  EXPECT_TRUE(simulation_.run(exists(*session, "/a")).has_value());
  EXPECT_FALSE(world().servers().create_as_operator(wanted, world().now()));
  const Request orphan(OpCode::kCreate, Path("/no/parent"));
  EXPECT_FALSE(world().servers().create_as_operator(orphan, world().now()));
}

}  // namespace
}  // namespace lockstep::fakezk
