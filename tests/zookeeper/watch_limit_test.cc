#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/fair_mutex.h"
#include "lockstep/on_client.h"
#include "lockstep/session_observer.h"
#include "lockstep/sleep.h"
#include "lockstep/zookeeper/client.h"
#include "lockstep/zookeeper/runtime.h"
#include "real/tcp_proxy.h"
#include "real/watch_count.h"
#include "real/zookeeper_server.h"
#include "support/lab.h"
#include "support/session_waits.h"

// Z53: the paths of all watches of a session travel in one packet, whose size is limited.
namespace lockstep::zookeeper {
namespace {

using support::must;
using support::TcpProxy;
using support::watched_paths_at;
using support::ZookeeperServer;

constexpr std::chrono::seconds kLongTimeout(40);

Options with_limit(std::size_t packet_limit, std::size_t max_sessions) {
  Options options(ZookeeperServer::shared().address(), kLongTimeout);
  options.packet_limit = packet_limit;
  options.max_sessions = max_sessions;
  return options;
}

// Waits until the condition holds; throws after a long time.
template <class Condition>
Task<void> until(Executor& executor, Condition condition) {
  constexpr std::chrono::minutes kForEver(10);
  const TimePoint deadline = executor.now() + kForEver;
  while (!condition()) {
    if (executor.now() > deadline) throw std::runtime_error("it does not come to that");
    static_cast<void>(co_await sleep_for(executor, std::chrono::milliseconds(5)));
  }
}

// Counts the state changes of a client's sessions.
class Sessions final : public SessionObserver {
 public:
  void state_changed(const lockstep::Session& session, SessionState state) override {
    if (state == SessionState::kConnected) ids.insert(session.id());
    ++times[state];
  }
  std::set<SessionId> ids;
  std::map<SessionState, int> times;
};

// Contenders that release the lock as soon as they hold it.
class Crowd {
 public:
  explicit Crowd(Runtime& runtime) : runtime_(runtime) {}
  void join(OnClient<FairMutex>& lock) { runtime_.spawn(contend(*this, lock)); }
  [[nodiscard]] Runtime& runtime() const { return runtime_; }

  int served = 0;
  std::map<Error, int> failed;

 private:
  static Task<void> contend(Crowd& crowd, OnClient<FairMutex>& lock) {
    Result<ClientGrant> grant = co_await lock.acquire();
    if (!grant) {
      ++crowd.failed[grant.error()];
      co_return;
    }
    static_cast<void>(co_await grant->held.release());
    ++crowd.served;
  }

  Runtime& runtime_;
};

std::string missing(int number) { return "/missing-" + std::to_string(1000 + number); }

Task<void> watch_until_refused(Client& client) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  std::vector<Watch> watches;
  // Each path takes 4 + 13 bytes; the limit is three quarters of the packet: 1500 bytes.
  for (int i = 0; i < 88; ++i) {
    const Path path(missing(i));
    watches.push_back(must(co_await session->exists_watched(path), "exists").watch);
  }
  const Path one_more(missing(88));
  const auto refused = co_await session->exists_watched(one_more);
  EXPECT_EQ(refused.error(), Error::kWatchLimit);
  must(co_await session->exists_watched(missing(0)), "a path that is watched already");
  const auto unwatched = co_await session->exists(one_more);
  EXPECT_EQ(unwatched.error(), Error::kNoNode);
  watches.pop_back();  // The client removes the watch in the background.
  must(co_await session->sync("/"), "sync");
  must(co_await session->sync("/"), "sync");
  must(co_await session->exists_watched(one_more), "exists");
}

TEST(WatchLimitTest, AWatchBeyondTheLimitIsRefused) {
  Runtime runtime;
  Client client(runtime, with_limit(2000, 16));
  runtime.run(watch_until_refused(client));
}

// Reads in flight count, too.
Task<void> watch_together_until_refused(Client& client) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  using Reading = Operation<Watched<std::optional<Stat>>>;
  std::vector<std::unique_ptr<Reading>> reads;
  for (int i = 0; i < 100; ++i) {
    reads.push_back(std::make_unique<Reading>(*session, Request(OpCode::kExists, missing(i)),
                                              lockstep::Context()));
  }
  int refused = 0;
  for (const auto& read : reads) {
    Reading& operation = *read;
    const auto answer = co_await operation;
    if (!answer && answer.error() == Error::kWatchLimit) ++refused;
  }
  EXPECT_EQ(refused, 12);
}

TEST(WatchLimitTest, ReadsInFlightCount) {
  Runtime runtime;
  Client client(runtime, with_limit(2000, 16));
  runtime.run(watch_together_until_refused(client));
}

constexpr int kCrowd = 100;

Task<void> crowd_on(Client& client, Crowd& crowd, OnClient<FairMutex>& lock) {
  Result<ClientGrant> first = co_await lock.acquire();
  if (!first) throw std::runtime_error("the first one does not get the lock");
  for (int i = 0; i < kCrowd; ++i) crowd.join(lock);
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  // Every contender has queued up or failed.
  for (;;) {
    const Children queue = must(co_await session->get_children("/crowded"), "get_children");
    int failed = 0;
    for (const auto& [error, times] : crowd.failed) failed += times;
    if (static_cast<int>(queue.size()) + failed == kCrowd + 1) break;
  }
  EXPECT_EQ(co_await first->held.release(), ReleaseOutcome::kReleased);
}

Task<void> spread(Client& client, Crowd& crowd, Sessions& sessions) {
  OnClient<FairMutex> lock(client, "/crowded");
  co_await crowd_on(client, crowd, lock);
  co_await until(crowd.runtime(), [&crowd] { return crowd.served == kCrowd; });
  EXPECT_GT(sessions.ids.size(), 1U);
  EXPECT_LE(sessions.ids.size(), 16U);
  const int spare = static_cast<int>(sessions.ids.size()) - 1;
  co_await until(crowd.runtime(),
                 [&sessions, spare] { return sessions.times[SessionState::kClosed] == spare; });
  const auto first = must(co_await client.session(lockstep::Context()), "open");
  EXPECT_EQ(first->state(), SessionState::kConnected);
}

// The last of 100 contenders starts before any of them has set a watch.
TEST(WatchLimitTest, ContendersSpreadOverSessionsThatAreClosedWhenSpare) {
  Runtime runtime;
  Sessions sessions;
  Options options = with_limit(2000, 16);
  options.spare_session_time = std::chrono::milliseconds(20);
  Client client(runtime, options);
  client.set_observer(&sessions);
  Crowd crowd(runtime);
  runtime.run(spread(client, crowd, sessions));
  EXPECT_TRUE(crowd.failed.empty());
}

Task<void> do_not_spread(Client& client, Crowd& crowd) {
  OnClient<FairMutex> lock(client, "/crowded");
  co_await crowd_on(client, crowd, lock);
  co_await until(crowd.runtime(),
                 [&crowd] { return crowd.served + crowd.failed[Error::kWatchLimit] == kCrowd; });
  EXPECT_GT(crowd.served, 0);
  EXPECT_GT(crowd.failed[Error::kWatchLimit], 0);
  EXPECT_EQ(crowd.failed.size(), 1U);
}

// A refused contender leaves the queue, and the others are served.
TEST(WatchLimitTest, WithoutSpreadingContendersAreRefused) {
  Runtime runtime;
  Sessions sessions;
  Client client(runtime, with_limit(2000, 1));
  client.set_observer(&sessions);
  Crowd crowd(runtime);
  runtime.run(do_not_spread(client, crowd));
  EXPECT_EQ(sessions.ids.size(), 1U);
}

// The holder cannot watch its znode, because its session has no room for watches: it polls.
Task<void> hold_without_room(Client& client) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  std::vector<Watch> watches;
  for (int i = 0; i < 88; ++i) {
    watches.push_back(must(co_await session->exists_watched(missing(i)), "exists").watch);
  }
  FairMutex mutex(*session, "/without-room");
  const HeldLock held = must(co_await mutex.acquire(), "acquire");
  const std::stop_token lost = held.lost_token();
  must(co_await session->remove(held.znode()), "remove");
  co_await until(client.executor(), [&lost] { return lost.stop_requested(); });
  EXPECT_EQ(held.cause(), Error::kNoNode);
}

TEST(WatchLimitTest, AGrantOnAFullSessionNoticesThatItsZnodeIsGone) {
  Runtime runtime;
  Options options = with_limit(2000, 1);
  options.session_timeout = std::chrono::seconds(3);
  Client client(runtime, options);
  runtime.run(hold_without_room(client));
}

constexpr int kLocks = 200;
constexpr int kWaitersOfEach = 100;
constexpr int kAllWaiters = kLocks * kWaitersOfEach;
constexpr int kServed = 1000;

Task<void> hold_through_a_cut(Client& client, TcpProxy& proxy, const ZookeeperServer& server,
                              Crowd& crowd, Sessions& sessions) {
  const std::string parent = "/" + std::string(180, 'p');
  std::vector<std::unique_ptr<OnClient<FairMutex>>> locks;
  std::vector<ClientGrant> holders;
  for (int i = 0; i < kLocks; ++i) {
    const Path path = Path(parent) / std::to_string(i);
    OnClient<FairMutex>& lock =
        *locks.emplace_back(std::make_unique<OnClient<FairMutex>>(client, path));
    Result<ClientGrant> holder = co_await lock.acquire();
    if (!holder) throw std::runtime_error("the lock is not free");
    holders.push_back(std::move(*holder));
  }
  for (int i = 0; i < kAllWaiters; ++i) crowd.join(*locks[static_cast<std::size_t>(i % kLocks)]);
  // Each waiter watches another znode; one that will take over watches its own, too.
  co_await until(crowd.runtime(), [&server] { return watched_paths_at(server) == kAllWaiters; });
  const auto all = static_cast<int>(sessions.ids.size());
  EXPECT_GT(all, 4);
  EXPECT_EQ(sessions.times[SessionState::kSuspended], 0);
  proxy.cut();
  co_await until(crowd.runtime(),
                 [&sessions, all] { return sessions.times[SessionState::kConnected] == 2 * all; });
  co_await until(crowd.runtime(), [&server] { return watched_paths_at(server) == kAllWaiters; });
  for (ClientGrant& holder : holders) {
    EXPECT_EQ(co_await holder.held.release(), ReleaseOutcome::kReleased);
  }
  co_await until(crowd.runtime(), [&crowd] { return crowd.served >= kServed; });
  EXPECT_EQ(sessions.times[SessionState::kSuspended], all);
  EXPECT_TRUE(crowd.failed.empty());
  crowd.runtime().drop_spawned();
  holders.clear();
}

// No server accepts a packet with 5 MB of paths: on one session, no waiter would be served again.
TEST(WatchLimitTest, TwentyThousandWaitersOnLongPathsSurviveAReconnect) {
  Runtime runtime;
  ZookeeperServer server;
  TcpProxy proxy(server.port());
  Sessions sessions;
  Client client(runtime, Options(proxy.address(), kLongTimeout));
  client.set_observer(&sessions);
  Crowd crowd(runtime);
  runtime.run(hold_through_a_cut(client, proxy, server, crowd, sessions));
}

}  // namespace
}  // namespace lockstep::zookeeper
