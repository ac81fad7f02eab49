// Losses by the client's own clock, during a partition of the real network.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>

#include "lockstep/async_event.h"
#include "lockstep/contact_proof.h"
#include "lockstep/contenders.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/sleep.h"
#include "lockstep/task_set.h"
#include "lockstep/zookeeper/client.h"
#include "lockstep/zookeeper/runtime.h"
#include "real/tcp_proxy.h"
#include "real/zookeeper_server.h"
#include "support/lab.h"
#include "support/session_waits.h"

namespace lockstep::zookeeper {
namespace {

using support::must;
using support::TcpProxy;
using support::ZookeeperServer;
using namespace std::chrono_literals;

// The times of the notifications of a grant.
class Instants final : public LockObserver {
 public:
  explicit Instants(Runtime& runtime) : news(runtime), runtime_(runtime) {}

  std::optional<TimePoint> suspected_at;
  std::optional<TimePoint> lost_at;
  std::optional<Error> cause;
  int recoveries = 0;
  AsyncEvent news;  // A recovery, or the loss.

 private:
  void suspected(const GrantRecord&) override { suspected_at = runtime_.now(); }
  void held_again(const GrantRecord&) override {
    ++recoveries;
    news.set();
  }
  void lost(const GrantRecord&, Error why) override {
    lost_at = runtime_.now();
    cause = why;
    news.set();
  }

  Runtime& runtime_;
};

class OwnClockTest : public ::testing::Test {
 protected:
  static constexpr Duration kSessionTimeout = 4s;

  Runtime runtime;
  TcpProxy proxy{ZookeeperServer::shared().port()};
  Client behind_proxy{runtime, Options(proxy.address(), kSessionTimeout)};
  Client direct{runtime, Options(ZookeeperServer::shared().address(), 12s)};
  Instants told{runtime};
};

Task<std::shared_ptr<lockstep::Session>> open(Client& client) {
  co_return must(co_await client.session(lockstep::Context()), "open");
}

Task<void> open_and_forget(Client& client) { co_await open(client); }

// B waits while A holds; then A's link is cut in both directions for the rest of the test.
Task<void> be_partitioned(Client& client_a, Client& client_b, TcpProxy& proxy, Instants& told) {
  const auto a = co_await open(client_a);
  const auto b = co_await open(client_b);
  FairMutex as_mutex(*a, "/own-clock/partition", &told);
  FairMutex bs_mutex(*b, "/own-clock/partition");
  HeldLock as = must(co_await as_mutex.acquire(), "A acquires");
  const std::stop_token lost = as.lost_token();
  std::optional<TimePoint> end;
  const std::stop_callback note(as.suspect_token(), [&] { end = as.valid_until(); });
  // A's proof is renewed while it holds.
  static_cast<void>(co_await sleep_for(a->executor(), a->timeout() * 3 / 2));
  EXPECT_EQ(as.state(), LockState::kHeld);
  EXPECT_GT(as.valid_until(), a->executor().now());

  proxy.stall();
  HeldLock bs = must(co_await bs_mutex.acquire(), "B acquires");
  const TimePoint granted_to_b = b->executor().now();
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_EQ(as.state(), LockState::kLost);
  EXPECT_EQ(told.cause, Error::kContactLost);
  EXPECT_TRUE(told.suspected_at && end && told.lost_at);
  if (!told.suspected_at || !end || !told.lost_at) co_return;
  EXPECT_LT(*told.suspected_at, *end);
  EXPECT_GE(*told.lost_at, *end);  // A may rely on its grant until then.
  EXPECT_LT(*told.lost_at, granted_to_b);
  EXPECT_FALSE(is_over(a->state()));  // The server has not told A anything.

  proxy.cut();
  proxy.pass_again();
  co_await support::StateReached(*a, SessionState::kExpired);
  EXPECT_EQ(co_await as.release(), ReleaseOutcome::kAlreadyLost);
  EXPECT_EQ(co_await bs.release(), ReleaseOutcome::kReleased);
  EXPECT_TRUE(must(co_await bs_mutex.contenders(), "contenders").empty());
}

TEST_F(OwnClockTest, LossInAPartitionIsReportedBeforeAnotherContenderHolds) {
  runtime.run(be_partitioned(behind_proxy, direct, proxy, told));
}

// Only the replies are held back: the server and the client both consider the session alive, and
// the client keeps sending. Only its proof ends.
Task<void> hear_nothing(Client& client_a, Client& client_b, TcpProxy& proxy, Instants& told) {
  const auto a = co_await open(client_a);
  const auto b = co_await open(client_b);
  FairMutex as_mutex(*a, "/own-clock/deaf", &told);
  FairMutex bs_mutex(*b, "/own-clock/deaf");
  HeldLock as = must(co_await as_mutex.acquire(), "A acquires");
  const std::stop_token lost = as.lost_token();
  proxy.hold_replies();
  lockstep::Context until_lost(lost);
  static_cast<void>(co_await sleep_for(a->executor(), 30s, until_lost));
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_EQ(told.cause, Error::kContactLost);
  proxy.cut();
  proxy.pass_again();
  // Whether A's session survives or not, its znode is deleted and B is served.
  HeldLock bs = must(co_await bs_mutex.acquire(), "B acquires");
  EXPECT_EQ(co_await as.release(), ReleaseOutcome::kAlreadyLost);
  EXPECT_EQ(co_await bs.release(), ReleaseOutcome::kReleased);
  EXPECT_TRUE(must(co_await bs_mutex.contenders(), "contenders").empty());
}

TEST_F(OwnClockTest, ALossByTheOwnClockLeavesNoOrphan) {
  runtime.run(hear_nothing(behind_proxy, direct, proxy, told));
}

Task<void> be_cut_shortly(Client& client, TcpProxy& proxy, Instants& told) {
  const auto a = co_await open(client);
  FairMutex mutex(*a, "/own-clock/short", &told);
  HeldLock held = must(co_await mutex.acquire(), "acquire");
  for (int round = 1; round <= 3; ++round) {
    proxy.cut();
    while (told.recoveries < round && !held.cause()) {
      static_cast<void>(co_await told.news.wait());
      told.news.reset();
    }
    EXPECT_EQ(held.state(), LockState::kHeld);
    EXPECT_GT(held.valid_until(), a->executor().now());
  }
  EXPECT_TRUE(told.suspected_at.has_value());
  EXPECT_EQ(co_await held.release(), ReleaseOutcome::kReleased);
}

TEST_F(OwnClockTest, AShortCutIsASuspicionAndNoLoss) {
  runtime.run(be_cut_shortly(behind_proxy, proxy, told));
}

// The server answers the handshake at `answered`, and the answer arrives late: it proves nothing
// about the time in between.
Task<void> hear_late(Client& client, TcpProxy& proxy, Runtime& runtime) {
  const TimePoint begun = runtime.now();
  proxy.hold_replies();
  TaskSet opening;
  opening.spawn(open_and_forget(client));
  while (!proxy.holds_a_reply()) static_cast<void>(co_await sleep_for(runtime, 1ms));
  const TimePoint answered = runtime.now();
  static_cast<void>(co_await sleep_for(runtime, 500ms));
  proxy.pass_again();
  const auto session = co_await open(client);
  const Duration reach = session->timeout() - session->timeout() / ContactProof::kDriftParts;
  EXPECT_LE(session->valid_until(), answered + reach);
  EXPECT_GE(session->valid_until(), begun + reach);
}

TEST_F(OwnClockTest, AHandshakeProvesNothingAboutTheDelayOfItsAnswer) {
  Options options(proxy.address(), 12s);
  options.probe_servers = false;  // No other answers are in flight.
  Client client(runtime, options);
  runtime.run(hear_late(client, proxy, runtime));
}

// An idle session keeps a proof for the next grant.
Task<void> be_idle(Client& client) {
  const auto a = co_await open(client);
  static_cast<void>(co_await sleep_for(a->executor(), a->timeout() * 2));
  EXPECT_GT(a->valid_until(), a->executor().now());
  FairMutex mutex(*a, "/own-clock/idle");
  HeldLock held = must(co_await mutex.acquire(), "acquire");
  EXPECT_EQ(held.state(), LockState::kHeld);
  EXPECT_GT(held.valid_until(), a->executor().now());
  static_cast<void>(co_await held.release());
}

TEST_F(OwnClockTest, AnIdleSessionKeepsItsProof) { runtime.run(be_idle(behind_proxy)); }

}  // namespace
}  // namespace lockstep::zookeeper
