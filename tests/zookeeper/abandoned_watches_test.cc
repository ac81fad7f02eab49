#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/session.h"
#include "lockstep/zookeeper/client.h"
#include "lockstep/zookeeper/runtime.h"
#include "real/tcp_proxy.h"
#include "real/watch_count.h"
#include "real/zookeeper_server.h"
#include "support/lab.h"
#include "support/session_waits.h"

// Abandoned watches are removed from the server and from the C client.
namespace lockstep::zookeeper {
namespace {

using support::must;
using support::StateReached;
using support::TcpProxy;
using support::watches_at;
using support::ZookeeperServer;

using Missing = Operation<Watched<std::optional<Stat>>>;

// Each test has its own server, because it counts the server's watches.
class AbandonedWatchesTest : public ::testing::Test {
 protected:
  Runtime runtime;
  ZookeeperServer server;
  TcpProxy proxy{server.port()};
  Client client{runtime, Options(proxy.address(), std::chrono::seconds(20))};
  Client other{runtime, Options(server.address(), std::chrono::seconds(20))};
};

// The server answers in order: each round gives it time for the earlier requests.
Task<void> until_the_server_has_at_most(const ZookeeperServer& server, lockstep::Session& session,
                                        std::size_t watches) {
  constexpr int kRounds = 20'000;
  for (int round = 0; round < kRounds; ++round) {
    if (watches_at(server) <= watches) co_return;
    must(co_await session.sync("/"), "sync");
  }
  ADD_FAILURE() << "the server still has " << watches_at(server) << " watches";
}

Task<void> watch_and_forget(lockstep::Session& session, std::string_view parent, int count) {
  constexpr int kTogether = 1000;
  for (int done = 0; done < count; done += kTogether) {
    std::vector<std::unique_ptr<Missing>> reads;
    for (int i = 0; i < kTogether; ++i) {
      const Path path = Path(parent) / ("abandoned-" + std::to_string(done + i));
      reads.push_back(
          std::make_unique<Missing>(session, Request(OpCode::kExists, path), lockstep::Context()));
    }
    for (const std::unique_ptr<Missing>& read : reads) {
      Missing& operation = *read;
      auto answer = co_await operation;
      static_cast<void>(must(std::move(answer), "exists").watch);
    }
  }
}

// The processor time of all threads of this process.
std::chrono::nanoseconds processor_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

Task<void> reconnect_after_many(Client& client, TcpProxy& proxy, const ZookeeperServer& server,
                                std::chrono::nanoseconds& spent) {
  constexpr int kWaits = 100'000;
  constexpr std::size_t kFew = 100;
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  const Watch kept = must(co_await session->get_children_watched("/"), "get_children").watch;
  co_await watch_and_forget(*session, "", kWaits);
  co_await until_the_server_has_at_most(server, *session, kFew);
  // The client forgets an entry when it reads the reply to its removal: by now it has read all.
  must(co_await session->sync("/"), "sync");
  const std::chrono::nanoseconds before = processor_time();
  StateReached suspended(*session, SessionState::kSuspended);
  proxy.cut();
  co_await suspended;
  must(co_await session->connected(), "connected");
  spent = processor_time() - before;
  EXPECT_LE(watches_at(server), kFew);
  EXPECT_FALSE(kept.has_fired());
  must(co_await session->create("/a", Data(), CreateMode::kEphemeral), "create");
  must(co_await kept.fired(), "the watch that was kept");
}

TEST_F(AbandonedWatchesTest, AReconnectAfterManyTimedOutWaitsCostsLittle) {
  std::chrono::nanoseconds spent{};
  runtime.run(reconnect_after_many(client, proxy, server, spent));
  const auto spent_ms = std::chrono::duration_cast<std::chrono::milliseconds>(spent).count();
  RecordProperty("reconnect_processor_ms", static_cast<int>(spent_ms));
  // Takes a few milliseconds; comparing each watch with all others would take many seconds.
  EXPECT_LT(spent_ms, 1000);
}

Task<void> watch_again(Client& client, Client& other, int rounds) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  const auto actor = must(co_await other.session(lockstep::Context()), "open");
  must(co_await actor->create("/again", Data(), CreateMode::kEphemeral), "create");
  for (int round = 0; round < rounds; ++round) {
    {
      const auto forgotten = must(co_await session->get_data_watched("/again"), "get_data");
    }
    // The new watch is set sometimes before the request to remove the old one, and sometimes after.
    for (int i = 0; i < round % 3; ++i) must(co_await session->sync("/"), "sync");
    auto change = actor->set_data("/again", "x");
    const Watch again = must(co_await session->get_data_watched("/again"), "get_data").watch;
    must(co_await change, "set_data");
    must(co_await actor->set_data("/again", "y"), "set_data");
    must(co_await again.fired(), "the later watch");
  }
}

TEST_F(AbandonedWatchesTest, AWatchSetAgainMeanwhileIsNotLost) {
  runtime.run(watch_again(client, other, 200));
}

Task<void> share_an_entry(Client& client, Client& other, const ZookeeperServer& server) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  const auto actor = must(co_await other.session(lockstep::Context()), "open");
  const Watch stays = must(co_await session->exists_watched("/shared"), "exists").watch;
  {
    const auto forgotten = must(co_await session->exists_watched("/shared"), "exists");
  }
  must(co_await session->sync("/"), "sync");
  const Watch taken_back = must(co_await session->exists_watched("/shared"), "exists").watch;
  must(co_await session->remove_watch(taken_back), "remove_watch");
  must(co_await session->sync("/"), "sync");
  EXPECT_EQ(watches_at(server), 1U);
  must(co_await actor->create("/shared", Data(), CreateMode::kEphemeral), "create");
  must(co_await stays.fired(), "the watch that stays");
}

// Z115: zoo_aremove_watches() takes its completion in an unusual form.
TEST_F(AbandonedWatchesTest, OneOfTwoWatchesOnAZnodeIsRemovedAlone) {
  runtime.run(share_an_entry(client, other, server));
}

Task<void> take_both_back(Client& client, Client& other, const ZookeeperServer& server) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  const auto actor = must(co_await other.session(lockstep::Context()), "open");
  const Watch first = must(co_await session->exists_watched("/both"), "exists").watch;
  const Watch second = must(co_await session->exists_watched("/both"), "exists").watch;
  auto one = session->remove_watch(first);
  auto two = session->remove_watch(second);
  auto watching = session->exists_watched("/both");
  must(co_await one, "remove_watch");
  must(co_await two, "remove_watch");
  const Watch third = must(co_await watching, "exists").watch;
  must(co_await actor->create("/both", Data(), CreateMode::kEphemeral), "create");
  must(co_await third.fired(), "the watch set after the removals");
  co_await until_the_server_has_at_most(server, *session, 0);
}

TEST_F(AbandonedWatchesTest, AWatchSetAfterRemovalsIsNotLost) {
  runtime.run(take_both_back(client, other, server));
}

Task<void> forget_while_suspended(Client& client, TcpProxy& proxy, const ZookeeperServer& server) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  {
    const auto read = must(co_await session->exists_watched("/missing"), "exists");
    StateReached suspended(*session, SessionState::kSuspended);
    proxy.refuse();
    co_await suspended;
  }
  proxy.accept_again();
  must(co_await session->connected(), "connected");
  co_await until_the_server_has_at_most(server, *session, 0);
}

TEST_F(AbandonedWatchesTest, AWatchAbandonedWithoutAConnectionIsRemovedOnTheNext) {
  runtime.run(forget_while_suspended(client, proxy, server));
}

}  // namespace
}  // namespace lockstep::zookeeper
