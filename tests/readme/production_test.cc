// The code of docs/production.md and docs/from-curator-and-kazoo.md.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "from-curator-and-kazoo_includes.inc"
#include "lockstep/fake/simulation.h"
#include "lockstep/take_place.h"
#include "production_includes.inc"

namespace lockstep::readme::guide_to_production {

using namespace std::chrono_literals;
using fake::Simulation;

#include "from-curator-and-kazoo_1.inc"
#include "production_1.inc"
#include "production_2.inc"
#include "production_3.inc"
#include "production_4.inc"
#include "production_5.inc"

TEST(ProductionGuideTest, ItsOptionsHaveNoDefect) {
  EXPECT_EQ(production_options().defect(), std::nullopt);
  EXPECT_EQ(with_discovery().resolver("zookeeper.internal")->size(), 2U);
}

TEST(ProductionGuideTest, AJobPausesWhileItsLockIsInDoubt) {
  Simulation simulation;
  const auto session = simulation.open("Ann");
  ASSERT_TRUE(simulation.run(ensure_parent(*session, "/pages", {})));
  FairMutex mutex(*session, "/lock");
  Result<HeldLock> held = simulation.run(mutex.acquire());
  const auto moving = simulation.start(move_pages(*session, *held, 3));
  simulation.cut(*session);
  simulation.run_until(moving);
  EXPECT_EQ(moving.result(), 3);
}

TEST(ProductionGuideTest, AStoreRefusesAnOlderHolder) {
  FencedStore store;
  EXPECT_TRUE(store.write(7, "by the second"));
  EXPECT_FALSE(store.write(4, "by the first"));
}

TEST(ProductionGuideTest, AServiceClosesItsSession) {
  Simulation simulation;
  fake::FakeClient& client = simulation.client("Ann");
  std::stop_source stop;
  simulation.run(serve_until(client, stop.get_token()));
  EXPECT_EQ(client.current()->state(), SessionState::kClosed);
}

TEST(CuratorGuideTest, AnOrderIsShippedUnderALock) {
  Simulation simulation;
  Zxid shipped = 0;
  ship_under_a_lock(simulation.client("Ann"), [&](Zxid token) { shipped = token; });
  EXPECT_GT(shipped, 0);
}

}  // namespace lockstep::readme::guide_to_production
