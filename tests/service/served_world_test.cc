#include "served_world.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "lockstep/wire/frames.h"
#include "lockstep/wire/request.h"

namespace lockstep::service {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kTick(1);
constexpr milliseconds kTimeout(20);
constexpr milliseconds kSilence(10);

// Between two turns, the world's time stands still, but the client's does not.
TEST(ServedWorldTest, ASessionLivesForItsTimeoutAfterItsClientIsHeard) {
  boost::asio::io_context context;
  ServedWorld world(context, {.tick_time = kTick});
  auto connection = world.connect(0);
  std::string greeting;
  wire::append_frame(greeting, wire::encode(wire::ConnectRequest{
                                   .timeout_ms = static_cast<std::int32_t>(kTimeout.count()),
                                   .password = std::string(16, '\0')}));
  connection->feed(greeting);
  world.turn();
  const TimePoint last_turn = world.now();
  const auto heard_at = steady_clock::now() + kSilence;
  while (steady_clock::now() < heard_at) {
  }
  world.hear(*connection);
  const fakezk::SessionTable& sessions = world.servers().sessions();
  ASSERT_TRUE(sessions.alive(0));
  EXPECT_GE(world.world().next_timer(), last_turn + kSilence + kTimeout);
  world.disconnect(std::move(connection));
}

}  // namespace
}  // namespace lockstep::service
