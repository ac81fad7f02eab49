#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <utility>

#include "lockstep/sleep.h"
#include "lockstep/zookeeper/client.h"
#include "lockstep/zookeeper/runtime.h"
#include "real/tcp_proxy.h"
#include "real/zookeeper_ensemble.h"
#include "support/error_of.h"
#include "support/lab.h"
#include "support/session_waits.h"

// Behaviour that only several servers show. Runs a sample by default, more with the environment
// variable LOCKSTEP_LONG.
namespace lockstep::zookeeper {
namespace {

using support::error_of;
using support::must;
using support::StateReached;
using support::TcpProxy;
using support::ZookeeperEnsemble;

using SessionPointer = std::shared_ptr<lockstep::Session>;

constexpr std::size_t kServers = ZookeeperEnsemble::kServers;
constexpr std::chrono::seconds kSessionTimeout(12);
constexpr std::chrono::seconds kTestLimit(60);

bool runs_long() { return std::getenv("LOCKSTEP_LONG") != nullptr; }
int rounds(int sample) { return runs_long() ? 50 * sample : sample; }

// One client per server, and one client that tests move between servers.
class EnsembleTest : public ::testing::Test {
 protected:
  EnsembleTest() : ensemble(ZookeeperEnsemble::shared()) {
    static int tests = 0;
    parent = Path("/test-" + std::to_string(++tests));
    std::string ways;
    for (std::size_t i = 0; i < kServers; ++i) {
      clients[i].emplace(runtime, Options(ensemble.address(i), kSessionTimeout));
      proxies[i].emplace(ensemble.port(i));
      ways += (i == 0 ? "" : ",") + proxies[i]->address();
    }
    mover.emplace(runtime, Options(ways, kSessionTimeout));
  }
  ~EnsembleTest() override { runtime.drop_spawned(); }

  void run(Task<void> (*test)(EnsembleTest& at)) {
    runtime.spawn(limit(runtime));
    runtime.run(test(*this));
  }

  static Task<void> limit(Executor& executor) {
    static_cast<void>(co_await sleep_for(executor, runs_long() ? 20 * kTestLimit : kTestLimit));
    throw std::runtime_error("the test waits for something that does not happen");
  }

 public:
  // A session on this server.
  Task<SessionPointer> on(std::size_t server) {
    co_return must(co_await clients[server]->session(lockstep::Context()), "session");
  }
  Task<void> create_parent(SessionPointer session) {
    must(co_await session->create(parent, "0", CreateMode::kPersistent), "create");
  }
  // The moving client reaches only this server from now on.
  void let_reach(std::size_t server) {
    for (std::size_t i = 0; i < kServers; ++i) {
      if (i == server) proxies[i]->accept_again();
    }
    for (std::size_t i = 0; i < kServers; ++i) {
      if (i != server) proxies[i]->refuse();
    }
  }

  ZookeeperEnsemble& ensemble;
  Runtime runtime;
  Path parent;
  std::array<std::optional<Client>, kServers> clients;
  std::array<std::optional<TcpProxy>, kServers> proxies;
  std::optional<Client> mover;
};

std::int64_t epoch_of(Zxid zxid) { return zxid >> 32; }

Task<int> read_number(SessionPointer session, Path path) {
  const DataAndStat read = must(co_await session->get_data(std::move(path)), "get_data");
  co_return std::stoi(std::string(read.data.view()));
}

// Retries until it works; the write may be repeated safely.
Task<void> write_number(SessionPointer session, Path path, int number) {
  const std::string digits = std::to_string(number);
  for (;;) {
    const auto set = co_await session->set_data(path, std::string_view(digits));
    if (set) co_return;
    if (!outcome_unknown(set.error())) must(set, "set_data");
    must(co_await session->connected(), "connected");
  }
}

Task<void> count_up(SessionPointer session, Path path) {
  for (int number = 1;; ++number) co_await write_number(session, path, number);
}

Task<void> zxids_have_an_epoch(EnsembleTest& at) {
  Zxid last = 0;
  for (std::size_t i = 0; i < kServers; ++i) {
    const SessionPointer session = co_await at.on(i);
    if (i == 0) co_await at.create_parent(session);
    const auto created =
        must(co_await session->create(at.parent / "n-", Data(), CreateMode::kPersistentSequential),
             "create");
    EXPECT_GT(epoch_of(created.stat.czxid), 0);
    EXPECT_GT(created.stat.czxid, last);
    last = created.stat.czxid;
  }
}

TEST_F(EnsembleTest, Z14AZxidHasAnEpochAndTheServersShareTheOrder) { run(&zxids_have_an_epoch); }

Task<void> new_leader_new_epoch(EnsembleTest& at) {
  const std::size_t leader = at.ensemble.leader();
  const std::size_t follower = (leader + 1) % kServers;
  const SessionPointer session = co_await at.on(follower);
  co_await at.create_parent(session);
  const Stat before = must(co_await session->set_data(at.parent, "1"), "set_data");
  at.ensemble.restart(leader);
  co_await write_number(session, at.parent, 2);
  const DataAndStat read = must(co_await session->get_data(at.parent), "get_data");
  EXPECT_GT(epoch_of(read.stat.mzxid), epoch_of(before.mzxid));
  EXPECT_GT(read.stat.mzxid, before.mzxid);
}

TEST_F(EnsembleTest, Z14ANewLeaderStartsANewEpoch) { run(&new_leader_new_epoch); }

Task<void> read_own_writes(EnsembleTest& at) {
  for (std::size_t i = 0; i < kServers; ++i) {
    const SessionPointer session = co_await at.on(i);
    if (i == 0) co_await at.create_parent(session);
    for (int round = 1; round <= rounds(50); ++round) {
      const std::string digits = std::to_string(round);
      auto write = session->set_data(at.parent, std::string_view(digits));
      auto read = session->get_data(at.parent);
      const DataAndStat behind = must(co_await read, "get_data");
      EXPECT_EQ(behind.data.view(), digits);
      const Stat written = must(co_await write, "set_data");
      EXPECT_EQ(behind.stat, written);
    }
  }
}

TEST_F(EnsembleTest, Z73ASessionReadsItsOwnWritesOnEveryServer) { run(&read_own_writes); }

// A writer counts up while the reader moves between servers and reads as soon as it can.
Task<void> read_while_moving(EnsembleTest& at) {
  const SessionPointer writer = co_await at.on(at.ensemble.leader());
  co_await at.create_parent(writer);
  at.let_reach(0);
  const SessionPointer reader = must(co_await at.mover->session(lockstep::Context()), "session");
  const SessionId id = reader->id();
  at.runtime.spawn(count_up(writer, at.parent));
  int last = 0;
  for (int round = 1; round <= rounds(12); ++round) {
    for (int i = 0; i < 20; ++i) {
      const int number = co_await read_number(reader, at.parent);
      EXPECT_GE(number, last);
      last = number;
    }
    at.let_reach(static_cast<std::size_t>(round) % kServers);
    co_await StateReached(*reader, SessionState::kSuspended);
    must(co_await reader->connected(), "connected");
  }
  EXPECT_EQ(reader->id(), id);
  EXPECT_GT(last, 0);
}

TEST_F(EnsembleTest, Z62ASessionDoesNotGoBackInTimeWhenItMoves) { run(&read_while_moving); }

// One server leads; the reader or the writer, or both, are on followers.
Task<void> read_after_sync(EnsembleTest& at) {
  const std::size_t leader = at.ensemble.leader();
  const SessionPointer writer = co_await at.on((leader + 1) % kServers);
  const SessionPointer reader = co_await at.on((leader + 2) % kServers);
  co_await at.create_parent(writer);
  must(co_await reader->sync(at.parent), "sync");
  int stale = 0;
  int last = 0;
  for (int round = 1; round <= rounds(100); ++round) {
    co_await write_number(writer, at.parent, round);
    auto read = reader->get_data(at.parent);
    auto synced = reader->sync(at.parent);
    auto read_again = reader->get_data(at.parent);
    const DataAndStat plain = must(co_await read, "get_data");
    const int number = std::stoi(std::string(plain.data.view()));
    EXPECT_GE(number, last);
    if (number < round) ++stale;
    must(co_await synced, "sync");
    const DataAndStat fresh = must(co_await read_again, "get_data");
    last = std::stoi(std::string(fresh.data.view()));
    EXPECT_EQ(last, round);
  }
  ::testing::Test::RecordProperty("stale_reads", stale);
}

TEST_F(EnsembleTest, Z76AReadAfterASyncIsNeverStale) { run(&read_after_sync); }

Task<void> watch_on_a_follower(EnsembleTest& at) {
  const std::size_t leader = at.ensemble.leader();
  const SessionPointer writer = co_await at.on(leader);
  const SessionPointer reader = co_await at.on((leader + 1) % kServers);
  co_await at.create_parent(writer);
  must(co_await reader->sync(at.parent), "sync");
  for (int round = 1; round <= rounds(50); ++round) {
    const auto watched = must(co_await reader->get_data_watched(at.parent), "get_data_watched");
    const std::string digits = std::to_string(round);
    auto write = writer->set_data(at.parent, std::string_view(digits));
    for (int number = round - 1; number < round;) {
      number = co_await read_number(reader, at.parent);
      if (number == round) {
        EXPECT_TRUE(watched.watch.has_fired());
      }
    }
    must(co_await write, "set_data");
  }
}

TEST_F(EnsembleTest, Z44AFollowerSendsTheEventBeforeTheNewData) { run(&watch_on_a_follower); }

// Attaches to the session on another server: its former one still has its connection.
Task<SessionPointer> move(Client& attaching, SessionPointer owner, Path parent) {
  const SessionPointer moved = must(co_await attaching.session(lockstep::Context()), "attach");
  EXPECT_EQ(moved->id(), owner->id());
  must(co_await moved->set_data(parent, "moved"), "set_data");
  co_return moved;
}

// A follower, which the session has left, notices only when it forwards a write.
Task<void> write_where_it_was(EnsembleTest& at) {
  const std::size_t leader = at.ensemble.leader();
  const std::size_t former = (leader + 1) % kServers;
  const SessionPointer owner = co_await at.on(former);
  const SessionPointer other = co_await at.on(leader);
  co_await at.create_parent(owner);
  must(co_await owner->sync(at.parent), "sync");
  Options options(at.ensemble.address((leader + 2) % kServers), kSessionTimeout);
  options.attach_to = at.clients[former]->credentials();
  Client attaching(at.runtime, std::move(options));
  const SessionPointer moved = co_await move(attaching, owner, at.parent);

  EXPECT_EQ(error_of(co_await owner->get_data(at.parent)), std::nullopt);
  const auto written = co_await owner->create(at.parent / "a", Data(), CreateMode::kPersistent);
  EXPECT_EQ(error_of(written), Error::kConnectionLoss);
  must(co_await other->sync(at.parent), "sync");
  EXPECT_EQ(error_of(co_await other->exists(at.parent / "a")), Error::kNoNode);

  must(co_await owner->connected(), "connected");  // Now the attached client loses the session.
  must(co_await owner->create(at.parent / "a", Data(), CreateMode::kEphemeral), "create");
}

TEST_F(EnsembleTest, Z63AWriteOnTheSessionsFormerServerCostsTheConnection) {
  run(&write_where_it_was);
}

Task<void> read_where_it_was(EnsembleTest& at) {
  const std::size_t leader = at.ensemble.leader();
  const SessionPointer owner = co_await at.on(leader);
  co_await at.create_parent(owner);
  Options options(at.ensemble.address((leader + 1) % kServers), kSessionTimeout);
  options.attach_to = at.clients[leader]->credentials();
  Client attaching(at.runtime, std::move(options));
  const SessionPointer moved = co_await move(attaching, owner, at.parent);
  EXPECT_EQ(error_of(co_await owner->get_data(at.parent)), Error::kConnectionLoss);
}

TEST_F(EnsembleTest, Z63AReadOnTheLeaderCostsTheFormerConnectionToo) { run(&read_where_it_was); }

Task<void> close_where_it_was(EnsembleTest& at) {
  const SessionPointer owner = co_await at.on(0);
  const SessionPointer other = co_await at.on(2);
  co_await at.create_parent(owner);
  must(co_await owner->create(at.parent / "a", Data(), CreateMode::kEphemeral), "create");
  Options options(at.ensemble.address(1), kSessionTimeout);
  options.attach_to = at.clients[0]->credentials();
  Client attaching(at.runtime, std::move(options));
  const SessionPointer moved = must(co_await attaching.session(lockstep::Context()), "attach");
  must(co_await moved->set_data(at.parent, "moved"), "set_data");

  must(co_await owner->close(), "close");
  must(co_await other->sync(at.parent), "sync");
  EXPECT_EQ(error_of(co_await other->exists(at.parent / "a")), Error::kNoNode);
}

TEST_F(EnsembleTest, Z63ACloseOnTheSessionsFormerServerEndsIt) { run(&close_where_it_was); }

Task<void> read_config(EnsembleTest& at) {
  const SessionPointer session = co_await at.on(0);
  const DataAndStat config = must(co_await session->get_data("/zookeeper/config"), "get_data");
  const std::string member = "=127\\.0\\.0\\.1:[0-9]+:[0-9]+:participant\n";
  const std::regex members("server\\.1" + member + "server\\.2" + member + "server\\.3" + member +
                           "version=0");
  EXPECT_TRUE(std::regex_match(std::string(config.data.view()), members)) << config.data.view();
  EXPECT_EQ(config.stat.version, -1);
  EXPECT_EQ(config.stat.mzxid, 0);
  EXPECT_EQ(config.stat.data_length, static_cast<std::int32_t>(config.data.view().size()));
}
TEST_F(EnsembleTest, Z126TheConfigOfAnEnsembleNamesItsMembers) { run(&read_config); }

}  // namespace
}  // namespace lockstep::zookeeper
