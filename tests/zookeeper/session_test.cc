#include "lockstep/session.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "lockstep/sleep.h"
#include "lockstep/zookeeper/client.h"
#include "lockstep/zookeeper/runtime.h"
#include "real/tcp_proxy.h"
#include "real/zookeeper_server.h"
#include "support/error_of.h"
#include "support/lab.h"
#include "support/session_waits.h"

// Tests for the real backend only: its threads, its timeouts, its C client.
namespace lockstep::zookeeper {
namespace {

using support::error_of;
using support::must;
using support::StateReached;
using support::StateRecorder;
using support::TcpProxy;
using support::ZookeeperServer;

// A runtime, a proxy in front of the server, and a client that connects through it.
class SessionTest : public ::testing::Test {
 protected:
  explicit SessionTest(Duration session_timeout = std::chrono::seconds(12))
      : proxy(ZookeeperServer::shared().port()),
        client(runtime, Options(proxy.address(), session_timeout)) {}

  Runtime runtime;
  TcpProxy proxy;
  Client client;
};

// With this timeout the C client gives up a silent connection soon.
class ShortSessionTest : public SessionTest {
 protected:
  ShortSessionTest() : SessionTest(std::chrono::seconds(1)) {}
};

// Requests in flight together. An operation never moves.
class Reads {
 public:
  Reads(lockstep::Session& session, int count) {
    for (int i = 0; i < count; ++i) reads_.emplace_back(new auto(session.get_data("/")));
  }
  [[nodiscard]] std::size_t size() const { return reads_.size(); }
  [[nodiscard]] Operation<DataAndStat>& operator[](std::size_t index) { return *reads_[index]; }

 private:
  std::vector<std::unique_ptr<Operation<DataAndStat>>> reads_;
};

Task<void> pause_for(Executor& executor, Duration duration) {
  static_cast<void>(co_await sleep_for(executor, duration));
}

Task<void> close_with_reads_pending(Client& client) {
  for (int round = 0; round < 100; ++round) {
    const auto session = must(co_await client.session(lockstep::Context()), "open");
    Reads reads(*session, 50);
    auto close = session->close();
    std::size_t closing = 0;
    for (std::size_t i = 0; i < reads.size(); ++i) {
      Operation<DataAndStat>& read = reads[i];
      const auto result = co_await read;
      if (error_of(result) == Error::kClosing) ++closing;
    }
    EXPECT_EQ(closing, reads.size());
    must(co_await close, "close");
  }
}

// Z103: zookeeper_close() drops some completions.
TEST_F(SessionTest, ClosingLosesNoCompletion) { runtime.run(close_with_reads_pending(client)); }

Task<void> abandon_reads(lockstep::Client& client) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  must(co_await session->sync("/"), "sync");
  const Reads abandoned(*session, 50);
  static_cast<void>(session->get_data_watched("/"));
}

// The operations and the session are gone when the replies arrive. (Z105: the watcher's context
// must outlive both.)
TEST_F(SessionTest, CanBeDestroyedWithRepliesInFlight) {
  for (int round = 0; round < 50; ++round) {
    Client own_client(runtime, Options(ZookeeperServer::shared().address()));
    runtime.run(abandon_reads(own_client));
  }
}

Task<void> hear_nothing(Client& client, TcpProxy& proxy) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  StateRecorder recorder(*session);
  proxy.stall();
  EXPECT_EQ(error_of(co_await session->get_data("/")), Error::kOperationTimeout);
  EXPECT_EQ(recorder.states(), std::vector<SessionState>{SessionState::kSuspended});
  proxy.cut();
  proxy.pass_again();
  must(co_await session->connected(), "connected");
}

TEST_F(ShortSessionTest, Z67SilenceIsAnOperationTimeout) {
  runtime.run(hear_nothing(client, proxy));
}

Task<void> fail_to_connect(Client& client, TcpProxy& proxy) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  proxy.refuse();
  co_await StateReached(*session, SessionState::kSuspended);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(error_of(co_await session->get_data("/")), Error::kConnectionLoss);
  }
  proxy.accept_again();
  must(co_await session->connected(), "connected");
  must(co_await session->get_data("/"), "get_data");
}

TEST_F(ShortSessionTest, Z69FailedAttemptsToConnectFailQueuedRequests) {
  runtime.run(fail_to_connect(client, proxy));
}

Task<void> ask_while_suspended(Client& client, TcpProxy& proxy) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  for (int round = 0; round < 10; ++round) {
    proxy.cut();
    co_await StateReached(*session, SessionState::kSuspended);
    must(co_await session->get_data("/"), "get_data");
  }
}

TEST_F(SessionTest, RequestsMadeWhileSuspendedWaitForTheNextAttempt) {
  runtime.run(ask_while_suspended(client, proxy));
}

// Requests succeed in order up to some point and fail after it; none is answered twice.
Task<void> lose_connections(Client& client, TcpProxy& proxy) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  for (int round = 0; round < 20; ++round) {
    Reads reads(*session, 50);
    Operation<DataAndStat>& middle = reads[static_cast<std::size_t>(round)];
    static_cast<void>(co_await middle);
    proxy.cut();
    bool lost = false;
    for (std::size_t i = 0; i < reads.size(); ++i) {
      if (i == static_cast<std::size_t>(round)) continue;
      Operation<DataAndStat>& read = reads[i];
      const auto result = co_await read;
      EXPECT_FALSE(lost && result);
      lost = lost || error_of(result) == Error::kConnectionLoss;
    }
    must(co_await session->connected(), "connected");
    const auto settled = co_await session->sync("/");
    static_cast<void>(settled);
  }
}

TEST_F(ShortSessionTest, RequestsFailInOrderWhenTheConnectionBreaks) {
  runtime.run(lose_connections(client, proxy));
}

Task<void> stay_idle(Client& client, Runtime& runtime) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  const TimePoint start = runtime.now();
  while (runtime.now() < start + 2 * session->timeout()) {
    co_await pause_for(runtime, session->timeout() / 8);
    EXPECT_EQ(session->state(), SessionState::kConnected);
  }
  EXPECT_GT(session->last_contact(), start + session->timeout());
}

// Z110: the C client pings after a third of the session timeout without traffic.
TEST_F(ShortSessionTest, AnIdleSessionKeepsHearingFromTheServer) {
  runtime.run(stay_idle(client, runtime));
}

Task<void> close_silent_session(Client& client, TcpProxy& proxy, Runtime& runtime) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  proxy.stall();
  static_cast<void>(session->get_data("/"));
  const TimePoint start = runtime.now();
  auto close = session->close();
  co_await pause_for(runtime, std::chrono::milliseconds(10));  // The loop keeps running meanwhile.
  EXPECT_FALSE(close.await_ready());
  must(co_await close, "close");
  EXPECT_LT(runtime.now(), start + std::chrono::seconds(6));
}

// Z104: zookeeper_close() waits a few seconds for the server.
TEST_F(SessionTest, ClosingIsBoundedWhenTheServerIsSilent) {
  runtime.run(close_silent_session(client, proxy, runtime));
}

Task<void> lose_the_close_request(Client& client, Client& other, TcpProxy& proxy) {
  const auto observer = must(co_await other.session(lockstep::Context()), "open");
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  must(co_await session->create("/closed", Data(), CreateMode::kEphemeral), "create");
  const auto watched = must(co_await session->get_data_watched("/"), "get_data_watched");
  proxy.cut_at_next_request();
  must(co_await session->close(), "close");
  must(co_await observer->sync("/"), "sync");
  EXPECT_EQ(error_of(co_await observer->exists("/closed")), Error::kNoNode);
}

// An event that arrives while zookeeper_close() waits for the server makes it drop the connection,
// and a server that notices that first does not read the request. The proxy loses it for certain.
TEST_F(SessionTest, ClosingASessionWithWatchesDoesNotRelyOnOneRequest) {
  Client other(runtime, Options(ZookeeperServer::shared().address()));
  runtime.run(lose_the_close_request(client, other, proxy));
}

// The end of the C client's pipe that wakes its I/O thread. It takes nothing more until let_go().
class FullPipe {
 public:
  explicit FullPipe(const std::set<int>& others) {
    for (const int pipe : open_pipes()) {
      const bool is_write_end = (fcntl(pipe, F_GETFL) & O_ACCMODE) == O_WRONLY;
      if (is_write_end && !others.contains(pipe)) number_ = pipe;
    }
    kept_ = fcntl(number_, F_DUPFD_CLOEXEC, 0);
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0);
    while (write(ends[1], "x", 1) == 1) {
    }
    dup2(ends[1], number_);
    close(ends[1]);
    read_end_ = ends[0];
  }
  FullPipe(const FullPipe&) = delete;
  FullPipe& operator=(const FullPipe&) = delete;
  ~FullPipe() {
    close(kept_);
    close(read_end_);
  }
  void let_go() const {
    dup2(kept_, number_);
    EXPECT_EQ(write(kept_, "x", 1), 1);
  }
  [[nodiscard]] static std::set<int> open_pipes() {
    std::set<int> pipes;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code closed_meanwhile;
      const std::string file = read_symlink(entry.path(), closed_meanwhile).string();
      if (file.starts_with("pipe:")) pipes.insert(std::stoi(entry.path().filename()));
    }
    return pipes;
  }

 private:
  int number_ = -1;
  int kept_ = -1;
  int read_end_ = -1;
};

Task<void> break_the_connection_by_a_request(Client& client) {
  const std::set<int> others = FullPipe::open_pipes();
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  StateRecorder recorder(*session);
  const FullPipe full(others);
  auto read = session->get_data("/");
  full.let_go();
  EXPECT_EQ(error_of(co_await read), Error::kConnectionLoss);
  EXPECT_EQ(recorder.states(), std::vector<SessionState>{SessionState::kSuspended});
  must(co_await session->connected(), "connected");
  must(co_await session->get_data("/"), "get_data");
}

// The C client closes the socket in the call, and tells its watcher nothing.
TEST_F(SessionTest, AFailedRequestTellsListenersOfTheLostConnection) {
  runtime.run(break_the_connection_by_a_request(client));
}

Task<void> stop_from_threads(Client& client) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  int cancelled = 0;
  for (int round = 0; round < 200; ++round) {
    std::stop_source stop;
    std::jthread stopper([&stop] { stop.request_stop(); });
    const auto read = co_await session->get_data("/", stop.get_token());
    if (error_of(read) == Error::kCancelled) ++cancelled;
    stopper.join();
  }
  EXPECT_GT(cancelled, 0);
  must(co_await session->get_data("/"), "get_data");
}

TEST_F(SessionTest, OperationsCanBeStoppedFromAnyThread) { runtime.run(stop_from_threads(client)); }

Task<void> work(Client& client, int rounds) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  for (int round = 0; round < rounds; ++round) {
    auto watched = must(co_await session->exists_watched("/several"), "exists_watched");
    static_cast<void>(co_await session->create("/several", Data(), CreateMode::kEphemeral));
    static_cast<void>(co_await session->remove("/several"));
    must(co_await watched.watch.fired(), "watch");
  }
}

// Several sessions, each with its own threads, share one loop.
TEST_F(SessionTest, SessionsShareARuntime) {
  const Options direct(ZookeeperServer::shared().address());
  Client a(runtime, direct);
  Client b(runtime, direct);
  runtime.spawn(work(a, 1000000));
  runtime.spawn(work(b, 1000000));
  runtime.run(work(client, 50));
  runtime.drop_spawned();
}

Task<void> send_too_much(Client& client) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  const std::string most(1000000, 'x');
  must(co_await session->create("/large", std::string_view(most), CreateMode::kEphemeral),
       "create");
  const auto read = must(co_await session->get_data("/large"), "get_data");
  EXPECT_EQ(read.data.view(), most);
  const std::string too_much(1100000, 'x');
  const auto refused = co_await session->set_data("/large", std::string_view(too_much));
  EXPECT_EQ(error_of(refused), Error::kPacketTooLarge);
  EXPECT_EQ(session->state(), SessionState::kConnected);
}

TEST_F(SessionTest, Z27ARequestOverThePacketLimitIsNotSent) { runtime.run(send_too_much(client)); }

Task<void> list_many(Client& client) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  must(co_await session->create("/many", Data(), CreateMode::kPersistent), "create");
  for (int i = 0; i < 300; ++i) {
    static_cast<void>(session->create("/many/n-", Data(), CreateMode::kEphemeralSequential));
  }
  const Children children = must(co_await session->get_children("/many"), "get_children");
  EXPECT_EQ(children.size(), 300u);
  std::vector<std::string> names(children.begin(), children.end());
  std::ranges::sort(names);
  EXPECT_EQ(names.front(), "n-0000000000");
  EXPECT_EQ(names.back(), "n-0000000299");
}

TEST_F(SessionTest, ListsManyChildren) { runtime.run(list_many(client)); }

}  // namespace
}  // namespace lockstep::zookeeper
