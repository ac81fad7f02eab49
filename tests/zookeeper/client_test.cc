#include "lockstep/zookeeper/client.h"

#include <gtest/gtest.h>

#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "lockstep/sleep.h"
#include "lockstep/zookeeper/runtime.h"
#include "real/loopback.h"
#include "real/tcp_proxy.h"
#include "real/zookeeper_server.h"
#include "support/lab.h"
#include "support/session_waits.h"

namespace lockstep::zookeeper {
namespace {

using support::must;
using support::TcpProxy;
using support::ZookeeperServer;

using OpenResult = Result<std::shared_ptr<lockstep::Session>>;

constexpr std::chrono::milliseconds kMoment(50);

Options options_for(std::string address, Duration session_timeout = std::chrono::seconds(12)) {
  return Options(std::move(address), session_timeout);
}

Options server_options() { return options_for(ZookeeperServer::shared().address()); }

Task<void> open_into(Client& client, lockstep::Context context, OpenResult& result) {
  result = co_await client.session(std::move(context));
}

OpenResult open_by(Runtime& runtime, Client& client, lockstep::Context context = {}) {
  OpenResult result = failure(Error::kNothing);
  runtime.run(open_into(client, std::move(context), result));
  return result;
}

TEST(ClientTest, MalformedOptionsAreRefused) {
  Runtime runtime;
  const char* const malformed[] = {"",           "localhost",      "localhost:",  ":2181",
                                   "host:port",  "host:0",         "host:65536",  "host:2181,",
                                   ",host:1",    "host:1,,host:2", "host:1/app/", "host :2181",
                                   "host:2181 ", "host:1//",       "/root",       "host:1/a/./b"};
  for (const char* const connection_string : malformed) {
    Client client(runtime, Options(connection_string));
    const OpenResult result = open_by(runtime, client);
    ASSERT_FALSE(result) << connection_string;
    EXPECT_EQ(result.error(), Error::kBadArguments) << connection_string;
  }
  for (const Duration timeout : {Duration(0), Duration(999), Duration::max()}) {
    Client client(runtime, options_for("127.0.0.1:2181", timeout));
    const OpenResult result = open_by(runtime, client);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error(), Error::kBadArguments);
  }
}

TEST(ClientTest, WellFormedOptionsAreAccepted) {
  const char* const connection_strings[] = {"localhost:2181", "a:1,b:2,c:65535",   "::1:2181",
                                            "[::1]:2181",     "a:1,b:2/app/locks", "a:1/"};
  for (const char* const connection_string : connection_strings) {
    EXPECT_EQ(Options(connection_string).defect(), std::nullopt) << connection_string;
  }
}

TEST(ClientTest, TheChrootFollowsTheServers) {
  const Options below("a:1,b:2/app/locks");
  EXPECT_EQ(below.servers(), "a:1,b:2");
  EXPECT_EQ(below.chroot(), Path("/app/locks"));
  EXPECT_EQ(Options("a:1").servers(), "a:1");
  EXPECT_EQ(Options("a:1").chroot(), Path("/"));
}

// Z111: the C client opens a handle without an error even if there is no server.
TEST(ClientTest, AnUnreachableServerIsTriedUntilTheDeadline) {
  Runtime runtime;
  Client client(runtime, options_for("127.0.0.1:" + std::to_string(support::refusing_port())));
  const OpenResult result = open_by(runtime, client, runtime.now() + kMoment);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), Error::kNotConnected);
}

TEST(ClientTest, ANameThatDoesNotResolveIsTriedUntilTheDeadline) {
  Runtime runtime;
  Client client(runtime, options_for("no-such-host.invalid:2181"));
  const OpenResult result = open_by(runtime, client, runtime.now() + kMoment);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), Error::kNotConnected);
}

TEST(ClientTest, OpeningCanBeStoppedFromAnotherThread) {
  Runtime runtime;
  Client client(runtime, options_for("127.0.0.1:" + std::to_string(support::refusing_port())));
  std::stop_source stop;
  std::jthread stopper([&stop] { stop.request_stop(); });
  const OpenResult result = open_by(runtime, client, stop.get_token());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), Error::kCancelled);
}

TEST(ClientTest, OpensWhenTheServerBecomesReachable) {
  Runtime runtime;
  TcpProxy proxy(ZookeeperServer::shared().port());
  proxy.refuse();
  Client client(runtime, options_for(proxy.address(), std::chrono::seconds(4)));
  const OpenResult refused = open_by(runtime, client, runtime.now() + kMoment);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), Error::kNotConnected);
  proxy.accept_again();
  const OpenResult result = open_by(runtime, client);
  ASSERT_TRUE(result);
  EXPECT_EQ((*result)->state(), SessionState::kConnected);
}

TEST(ClientTest, KeepsItsSessionWhileThatLives) {
  Runtime runtime;
  Client client(runtime, server_options());
  EXPECT_FALSE(client.credentials());
  const OpenResult first = open_by(runtime, client);
  const OpenResult second = open_by(runtime, client);
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  EXPECT_EQ(*first, *second);
  ASSERT_TRUE(client.credentials());
  EXPECT_EQ(client.credentials()->session(), (*first)->id());
}

Task<void> close_and_open_again(Client& client) {
  const auto first = must(co_await client.session(lockstep::Context()), "open");
  const SessionId first_id = first->id();
  must(co_await first->close(), "close");
  const auto second = must(co_await client.session(lockstep::Context()), "open again");
  EXPECT_NE(second->id(), first_id);
  EXPECT_NE(second, first);
  EXPECT_EQ(first->state(), SessionState::kClosed);
  must(co_await second->exists("/"), "exists");
}

// Z107: the handle of an expired session cannot be used again.
TEST(ClientTest, OpensANewSessionAfterTheOldOne) {
  Runtime runtime;
  Client client(runtime, server_options());
  runtime.run(close_and_open_again(client));
}

Task<void> take_over(Runtime& runtime, Client& client) {
  const auto original = must(co_await client.session(lockstep::Context()), "open");
  Options attach = server_options();
  attach.attach_to = client.credentials();
  Client operator_client(runtime, std::move(attach));
  const auto same = must(co_await operator_client.session(lockstep::Context()), "attach");
  EXPECT_EQ(same->id(), original->id());
}

TEST(ClientTest, AttachesToAnExistingSession) {
  Runtime runtime;
  Client client(runtime, server_options());
  runtime.run(take_over(runtime, client));
}

Task<void> attach_to_nothing(Runtime& runtime) {
  Options attach = server_options();
  attach.attach_to = Credentials(0x1234, {});
  Client client(runtime, std::move(attach));
  const auto session = co_await client.session(lockstep::Context());
  const std::optional<Error> error = session ? std::nullopt : std::optional<Error>(session.error());
  EXPECT_EQ(error, Error::kSessionExpired);
}

TEST(ClientTest, AttachingToASessionThatIsGoneFails) {
  Runtime runtime;
  runtime.run(attach_to_nothing(runtime));
}

TEST(ClientTest, ASessionObjectOutlivesItsClient) {
  Runtime runtime;
  std::shared_ptr<lockstep::Session> session;
  {
    Client client(runtime, server_options());
    session = must(open_by(runtime, client), "open");
  }
  EXPECT_EQ(session->state(), SessionState::kClosed);
}

TEST(ClientTest, ASessionThatWasNeverConnectedCanBeDropped) {
  for (int round = 0; round < 5; ++round) {
    Runtime runtime;
    Client client(runtime, server_options());
    static_cast<void>(open_by(runtime, client, runtime.now() + std::chrono::microseconds(1)));
  }
}

}  // namespace
}  // namespace lockstep::zookeeper
