#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "lockstep/fair_mutex.h"
#include "lockstep/task_set.h"
#include "lockstep/zookeeper/client.h"
#include "lockstep/zookeeper/runtime.h"
#include "real/zookeeper_server.h"
#include "support/lab.h"

// A real server that limits its load: RequestThrottler admits one request at a time and refuses
// those that have waited for more than a millisecond.
namespace lockstep::zookeeper {
namespace {

using support::must;
using support::ZookeeperServer;

constexpr std::string_view kThrottling =
    "request_throttle_max_requests=1\nrequest_throttle_stall_time=20\nthrottled_op_wait_time=1\n";

Task<void> create_until_throttled(Client& client, bool& throttled) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  for (int attempt = 0; attempt < 1000 && !throttled; ++attempt) {
    std::vector<std::unique_ptr<Operation<Created>>> creates;
    for (int i = 0; i < 50; ++i) {
      creates.emplace_back(
          new auto(session->create("/n-", Data(), CreateMode::kEphemeralSequential)));
    }
    std::size_t created = 0;
    for (const auto& each : creates) {
      Operation<Created>& create = *each;
      const Result<Created> result = co_await create;
      if (result) ++created;
      throttled = throttled || (!result && result.error() == Error::kThrottledOp);
    }
    Result<Children> children = co_await session->get_children("/");
    while (!children) children = co_await session->get_children("/");
    EXPECT_EQ(session->state(), SessionState::kConnected);
    if (attempt > 0) continue;
    EXPECT_EQ(children->size(), created + 1);  // plus "zookeeper"
  }
}

TEST(ThrottleTest, ThrottledRequestIsNotExecutedAndTheConnectionStays) {
  const ZookeeperServer server(ZookeeperServer::kTickTime, std::string(kThrottling));
  Runtime runtime;
  Client client(runtime, Options(server.address()));
  bool throttled = false;
  runtime.run(create_until_throttled(client, throttled));
  EXPECT_TRUE(throttled);
}

Task<void> contend(lockstep::Session& session, int rounds, int& holders, int& grants) {
  FairMutex mutex(session, "/locks/nightly");
  for (int round = 0; round < rounds; ++round) {
    HeldLock held = must(co_await mutex.acquire(), "acquire");
    EXPECT_EQ(++holders, 1);
    ++grants;
    must(co_await session.connected(), "connected");
    --holders;
    EXPECT_EQ(co_await held.release(), ReleaseOutcome::kReleased);
  }
}

Task<void> contend_together(Client& client) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  constexpr int kContenders = 20;
  constexpr int kRounds = 3;
  int holders = 0;
  int grants = 0;
  {
    TaskSet contenders;
    for (int i = 0; i < kContenders; ++i) {
      contenders.spawn(contend(*session, kRounds, holders, grants));
    }
    while (!contenders.empty()) {
      static_cast<void>(co_await session->exists("/"));  // Each answer admits another request.
    }
    if (contenders.failed()) std::rethrow_exception(contenders.first_exception());
  }
  EXPECT_EQ(grants, kContenders * kRounds);
}

TEST(ThrottleTest, LocksSurviveThrottling) {
  const ZookeeperServer server(ZookeeperServer::kTickTime, std::string(kThrottling));
  Runtime runtime;
  Client client(runtime, Options(server.address()));
  runtime.run(contend_together(client));
}

}  // namespace
}  // namespace lockstep::zookeeper
