#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/sleep.h"
#include "lockstep/zookeeper/client.h"
#include "lockstep/zookeeper/runtime.h"
#include "real/tcp_proxy.h"
#include "real/zookeeper_server.h"
#include "support/lab.h"
#include "support/session_waits.h"

// Multis and credentials in the situations that the C client mishandles.
namespace lockstep::zookeeper {
namespace {

using support::must;
using support::StateReached;
using support::TcpProxy;
using support::ZookeeperServer;

class MultiTest : public ::testing::Test {
 public:
  MultiTest()
      : server(ZookeeperServer::shared()),
        proxy(server.port()),
        client(runtime, Options(proxy.address(), std::chrono::seconds(12))) {}

  ZookeeperServer& server;
  Runtime runtime;
  TcpProxy proxy;
  Client client;
};

Transaction checks(int count) {
  Transaction transaction;
  for (int i = 0; i < count; ++i) std::move(transaction).check("/");
  return transaction;
}

using MultiPointer = std::unique_ptr<Operation<MultiResults>>;

std::vector<MultiPointer> send_multis(lockstep::Session& session, int count) {
  std::vector<MultiPointer> multis;
  for (int i = 0; i < count; ++i) {
    Transaction transaction = Transaction().create("/m-", "x", CreateMode::kEphemeralSequential);
    std::move(transaction).set_data("/zookeeper", "x").check("/");
    multis.emplace_back(new auto(session.multi(std::move(transaction))));
  }
  return multis;
}

Task<void> close_with_multis_pending(Client& client) {
  for (int round = 0; round < 100; ++round) {
    const auto session = must(co_await client.session(lockstep::Context()), "open");
    const std::vector<MultiPointer> multis = send_multis(*session, 50);
    auto close = session->close();
    for (const MultiPointer& multi : multis) {
      Operation<MultiResults>& sent = *multi;
      const auto results = co_await sent;
      EXPECT_TRUE(!results && results.error().error == Error::kClosing);
    }
    must(co_await close, "close");
  }
}

TEST_F(MultiTest, ClosingLosesNoMulti) { runtime.run(close_with_multis_pending(client)); }

Task<void> drop_multis(Client& client) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  const std::vector<MultiPointer> dropped = send_multis(*session, 50);
}

// The C client writes results even after the waiters have gone. Z109: it writes them to the address
// given with the request.
TEST_F(MultiTest, ResultsCanArriveAfterTheSessionHasGone) {
  for (int round = 0; round < 50; ++round) {
    Client own_client(runtime, Options(server.address()));
    runtime.run(drop_multis(own_client));
  }
}

// Another client takes the session over and closes it. The victim's own client would take it back
// at once, so the proxy refuses its connections meanwhile; its next handshake reports the end. The
// kill waits for the victim to notice the loss: a C client that notices the loss and the end
// together may do so in the middle of a multi, and no wrapper can prevent that
// (Handle::is_connected).
Task<void> kill_session(MultiTest& at, lockstep::Session& victim, Options attaching) {
  at.proxy.refuse();
  co_await StateReached(victim, SessionState::kSuspended);
  Client killer(at.runtime, std::move(attaching));
  const auto session = must(co_await killer.session(lockstep::Context()), "attach");
  must(co_await session->close(), "close");
  at.proxy.accept_again();
}

// In the C client, a multi that meets the end of the session frees memory that it never allocated.
Task<void> expire_under_multis(MultiTest& at) {
  for (int round = 0; round < 20; ++round) {
    const auto session = must(co_await at.client.session(lockstep::Context()), "open");
    Options attaching(at.server.address());
    attaching.attach_to = at.client.credentials();
    at.runtime.spawn(kill_session(at, *session, std::move(attaching)));
    std::vector<MultiPointer> multis;
    while (!is_over(session->state())) {  // Sends without a pause, to meet the end.
      multis.emplace_back(new auto(session->multi(checks(3))));
      must(co_await sleep_for(at.runtime, std::chrono::microseconds(10)), "wait");
    }
    for (const MultiPointer& multi : multis) {
      Operation<MultiResults>& sent = *multi;
      const auto results = co_await sent;
      if (results || outcome_unknown(results.error().error)) continue;
      EXPECT_EQ(results.error().error, Error::kSessionExpired);
    }
  }
}

// Z108: a multi submitted to the C client at that moment would corrupt its memory.
TEST_F(MultiTest, AMultiSurvivesTheEndOfItsSession) { runtime.run(expire_under_multis(*this)); }

Task<void> multi_in_silence(MultiTest& at) {
  const std::chrono::seconds session_timeout(4);
  Client own_client(at.runtime, Options(at.proxy.address(), session_timeout));
  const auto session = must(co_await own_client.session(lockstep::Context()), "open");
  at.proxy.stall();
  must(co_await sleep_for(at.runtime, session->timeout() / 2), "wait");
  EXPECT_LE(session->last_contact() + session->timeout() / 2, at.runtime.now());
  auto multi = session->multi(checks(3));
  at.proxy.cut();  // The request is lost.
  at.proxy.pass_again();
  EXPECT_TRUE((co_await multi).has_value());
}

// The session may have ended without the C client knowing it yet.
TEST_F(MultiTest, AMultiWaitsForNewsOfASilentSession) { runtime.run(multi_in_silence(*this)); }

Task<void> multi_before_a_late_reconnect(MultiTest& at) {
  Client own_client(at.runtime, Options(at.proxy.address(), std::chrono::seconds(4)));
  const auto session = must(co_await own_client.session(lockstep::Context()), "open");
  at.proxy.cut();
  co_await StateReached(*session, SessionState::kSuspended);
  auto multi = session->multi(checks(3));
  // The loop is busy while the C client reconnects, so the handshake is no news any more.
  const TimePoint late = at.runtime.now() + session->timeout() * 3 / 4;
  while (at.runtime.now() < late) continue;
  const lockstep::Context patient(at.runtime.now() + std::chrono::seconds(10));
  EXPECT_TRUE((co_await session->get_data("/", patient)).has_value());
  EXPECT_TRUE((co_await multi).has_value());
}

TEST_F(MultiTest, AMultiIsSentAlthoughTheLoopHearsLateOfTheConnection) {
  runtime.run(multi_before_a_late_reconnect(*this));
}

Task<void> reject_under_multis(Client& client) {
  for (int round = 0; round < 50; ++round) {
    const auto session = must(co_await client.session(lockstep::Context()), "open");
    static_cast<void>(session->add_auth("unknown", "x"));
    for (;;) {
      const auto results = co_await session->multi(checks(50));
      // The connection may be lost before the rejection arrives; the next one delivers it.
      if (results || outcome_unknown(results.error().error)) continue;
      EXPECT_EQ(results.error().error, Error::kAuthFailed);
      break;
    }
  }
}

TEST_F(MultiTest, AMultiSurvivesARejectedCredential) { runtime.run(reject_under_multis(client)); }

Task<void> authenticate(Client& client, Runtime& runtime) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  must(co_await session->sync("/"), "sync");  // Nothing is in flight after that.
  const TimePoint before = runtime.now();
  must(co_await session->add_auth("digest", "user:password"), "add_auth");
  EXPECT_LT(runtime.now(), before + session->timeout() / 4);
}

// The released C client sends it with the next request or ping; Debian's sends it at once.
TEST_F(MultiTest, ACredentialIsSentAtOnce) { runtime.run(authenticate(client, runtime)); }

Task<void> authenticate_after_large_requests(Client& client, TcpProxy& proxy) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  must(co_await session->create("/large", Data(), CreateMode::kEphemeral), "create");
  const std::string large(1000000, 'x');
  proxy.stall();
  std::vector<std::unique_ptr<Operation<Stat>>> writes;
  for (int i = 0; i < 30; ++i) {
    writes.emplace_back(new auto(session->set_data("/large", std::string_view(large))));
  }
  auto auth = session->add_auth("digest", "user:password");
  proxy.pass_again();
  must(co_await auth, "add_auth");
  for (const auto& write : writes) {
    Operation<Stat>& sent = *write;
    must(co_await sent, "set_data");
  }
}

// The C client itself inserts it into the middle of a half-sent request.
TEST_F(MultiTest, ACredentialDoesNotCutIntoOtherRequests) {
  runtime.run(authenticate_after_large_requests(client, proxy));
}

}  // namespace
}  // namespace lockstep::zookeeper
