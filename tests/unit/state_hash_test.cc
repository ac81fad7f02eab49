#include "lockstep/fakezk/explore/state_hash.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "by_hand.h"
#include "plays.h"

namespace lockstep::fakezk {
namespace {

using namespace unit;

// A world of one session, and what becomes of it.
class StateHashTest : public ::testing::Test {
 protected:
  template <class Act>
  static std::uint64_t hash_after(Act act) {
    Simulation simulation(quiet());
    const auto session = simulation.open("A");
    must(simulation.run(create(*session, "/a")), "create");
    act(simulation, *session);
    return state_hash(simulation.world());
  }
};

TEST_F(StateHashTest, WhoAConnectionHasShownToBe) {
  const auto known_as = [](const char* credential) {
    return hash_after([&](Simulation& simulation, FakeSession& session) {
      const auto show = [](Session& own, Data who) -> Task<Result<void>> {
        co_return co_await own.add_auth("digest", who);
      };
      must(simulation.run(show(session, Data(credential))), "add_auth");
    });
  };
  EXPECT_EQ(known_as("ann:secret"), known_as("ann:secret"));
  EXPECT_NE(known_as("ann:secret"), known_as("bob:secret"));
}

TEST_F(StateHashTest, WhenASilentSessionExpires) {
  const auto stalled_after = [](Duration first, Duration then) {
    return hash_after([&](Simulation& simulation, FakeSession&) {
      simulation.advance(first);
      simulation.world().stall(simulation.client("A").process());
      simulation.advance(then);
    });
  };
  EXPECT_EQ(stalled_after(0s, 4s), stalled_after(0s, 4s));
  EXPECT_NE(stalled_after(0s, 4s), stalled_after(4s, 0s));
}

TEST_F(StateHashTest, WhatABrokenConnectionHasLeftBehind) {
  const auto left = [](const char* data) {
    return hash_after([&](Simulation& simulation, FakeSession& session) {
      const auto write = simulation.start(set_data(session, "/a", Data(data)));
      simulation.cut_late(session, 1);
    });
  };
  EXPECT_EQ(left("1"), left("1"));
  EXPECT_NE(left("1"), left("2"));
}

}  // namespace
}  // namespace lockstep::fakezk
