#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/fair_mutex.h"
#include "lockstep/sleep.h"
#include "lockstep/zookeeper/client.h"
#include "lockstep/zookeeper/runtime.h"
#include "support/lab.h"
#include "support/loopback.h"
#include "support/server_process.h"
#include "support/session_waits.h"
#include "support/tcp_proxy.h"
#include "support/temporary_directory.h"
#include "support/zookeeper_server.h"

// How connections are got, kept and given up.
namespace lockstep::zookeeper {
namespace {

using support::must;
using support::StateReached;
using support::StateRecorder;
using support::TcpProxy;
using support::ZookeeperServer;

using OpenResult = Result<std::shared_ptr<lockstep::Session>>;

constexpr std::chrono::seconds kSessionTimeout(12);
constexpr std::chrono::seconds kTestLimit(60);
constexpr std::chrono::milliseconds kMoment(50);

// Far less than what the C client waits for a silent server with kLongSessionTimeout: 26 s.
constexpr std::chrono::seconds kLongSessionTimeout(40);
constexpr std::chrono::seconds kSoon(13);

std::string port_behind(const std::string& address) { return address.substr(address.find(':')); }

Task<void> open_into(Client& client, lockstep::Context context, OpenResult& result) {
  result = co_await client.session(std::move(context));
}

Task<void> begin_opening(Client& client) {
  static_cast<void>(co_await client.session(lockstep::Context()));
}

OpenResult open(Runtime& runtime, Client& client, Duration limit = kTestLimit) {
  OpenResult result = failure(Error::kNothing);
  runtime.run(open_into(client, lockstep::Context(runtime.now() + limit), result));
  return result;
}

std::optional<Error> error_of(const OpenResult& result) {
  if (result) return std::nullopt;
  return result.error();
}

// Something that happens without telling anybody; looked at until it has.
Task<void> until(Runtime& runtime, std::function<bool()> happened) {
  const TimePoint end = runtime.now() + kTestLimit;
  while (!happened()) {
    if (runtime.now() > end) throw std::runtime_error("what the test waits for does not happen");
    static_cast<void>(co_await sleep_for(runtime, std::chrono::milliseconds(2)));
  }
}

Task<void> until_it_says(Runtime& runtime, Client& client, std::string text) {
  const std::function<bool()> says = [&client, &text] {
    return client.last_failure().find(text) != std::string::npos;
  };
  co_await until(runtime, says);
}

// Accepts connections, by the kernel's doing, and never answers.
class SilentServer {
 public:
  SilentServer() : listener_(support::listen_on(0)) {}
  ~SilentServer() { close(listener_); }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;
  [[nodiscard]] std::string address() const {
    return "127.0.0.1:" + std::to_string(support::port_of(listener_));
  }

 private:
  int listener_;
};

std::string refused_address() { return "127.0.0.1:" + std::to_string(support::free_port()); }

// Names that can change; counts who asks.
class Names {
 public:
  void set(ResolveResult result) {
    const std::lock_guard lock(mutex_);
    result_ = std::move(result);
  }
  [[nodiscard]] int asked() const { return asked_; }
  [[nodiscard]] Resolver resolver() {
    return [this](const std::string&) {
      ++asked_;
      const std::lock_guard lock(mutex_);
      return result_;
    };
  }

 private:
  std::mutex mutex_;
  std::atomic<int> asked_ = 0;
  ResolveResult result_ = std::vector<std::string>{"127.0.0.1"};
};

Duration processor_time() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto spent = [](const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  };
  return spent(usage.ru_utime) + spent(usage.ru_stime);
}

class NamedServerTest : public ::testing::Test {
 protected:
  NamedServerTest()
      : proxy(ZookeeperServer::shared().port()), client(runtime, options(proxy, names)) {}

  static Options options(const TcpProxy& proxy, Names& names) {
    Options options("the-server" + port_behind(proxy.address()), kSessionTimeout);
    options.resolver = names.resolver();
    return options;
  }

  Names names;
  Runtime runtime;
  TcpProxy proxy;
  Client client;
};

Task<void> lose_the_name(NamedServerTest& at, Runtime& runtime, Names& names, TcpProxy& proxy,
                         Client& client) {
  static_cast<void>(at);
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  const SessionId id = session->id();
  names.set(std::unexpected(std::string("no such name for now")));
  proxy.refuse();
  co_await StateReached(*session, SessionState::kSuspended);
  const int asked = names.asked();
  const TimePoint start = runtime.now();
  const Duration spent = processor_time();
  const std::function<bool()> asked_often = [&] { return names.asked() >= asked + 6; };
  co_await until(runtime, asked_often);
  EXPECT_LT(processor_time() - spent, (runtime.now() - start) / 2);
  EXPECT_NE(client.last_failure().find("the-server: the name does not resolve: no such name"),
            std::string::npos)
      << client.last_failure();
  names.set(std::vector<std::string>{"127.0.0.1"});
  proxy.accept_again();
  co_await StateReached(*session, SessionState::kConnected);
  EXPECT_EQ(session->id(), id);
  EXPECT_EQ(client.last_failure(), "");
}

TEST_F(NamedServerTest, ANameThatStopsResolvingCostsNoProcessorTime) {
  runtime.run(lose_the_name(*this, runtime, names, proxy, client));
}

Task<void> move_the_server(Runtime& runtime, Names& names, TcpProxy& proxy, Client& client) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  names.set(std::vector<std::string>{"127.0.0.2"});
  proxy.refuse();
  co_await until_it_says(runtime, client, "127.0.0.2");
  names.set(std::vector<std::string>{"127.0.0.1"});
  proxy.accept_again();
  co_await StateReached(*session, SessionState::kConnected);
}

TEST_F(NamedServerTest, AServerThatHasMovedIsFound) {
  runtime.run(move_the_server(runtime, names, proxy, client));
}

TEST_F(NamedServerTest, AResolverMayFailInEveryWay) {
  Options odd = options(proxy, names);
  odd.resolver = [](const std::string&) -> ResolveResult { throw std::runtime_error("not today"); };
  Client throwing(runtime, odd);
  runtime.spawn(begin_opening(throwing));
  runtime.run(until_it_says(runtime, throwing, "the-server: the name does not resolve: not today"));
  names.set(std::vector<std::string>{});
  runtime.spawn(begin_opening(client));
  runtime.run(until_it_says(runtime, client, "the-server: the name has no address"));
  names.set(std::vector<std::string>{"here"});
  runtime.run(until_it_says(runtime, client, "\"here\", which the resolver says"));
  names.set(std::vector<std::string>{"127.0.0.1"});
  EXPECT_TRUE(open(runtime, client));
  runtime.drop_spawned();
}

TEST(ConnectionTest, ASilentServerCostsAMomentWhenOpening) {
  const SilentServer silent;
  Runtime runtime;
  for (int round = 0; round < 6; ++round) {
    Client client(runtime, Options(silent.address() + "," + ZookeeperServer::shared().address(),
                                   kLongSessionTimeout));
    EXPECT_EQ(error_of(open(runtime, client, kSoon)), std::nullopt);
  }
}

Task<void> reconnect_beside_a_silent_server(Runtime& runtime, Client& client, TcpProxy& proxy) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  const SessionId id = session->id();
  for (int round = 0; round < 6; ++round) {
    const TimePoint start = runtime.now();
    proxy.cut();
    co_await StateReached(*session, SessionState::kSuspended);
    must(co_await session->connected(), "connected");
    EXPECT_LT(runtime.now(), start + kSoon);
  }
  EXPECT_EQ(session->id(), id);
}

TEST(ConnectionTest, ASilentServerCostsAMomentWhenReconnecting) {
  const SilentServer silent;
  TcpProxy proxy(ZookeeperServer::shared().port());
  Runtime runtime;
  Client client(runtime, Options(silent.address() + "," + proxy.address(), kLongSessionTimeout));
  runtime.run(reconnect_beside_a_silent_server(runtime, client, proxy));
}

// Opens with these until every one of `reasons` is given.
void expect_reasons(Options options, const std::vector<std::string>& reasons) {
  Runtime runtime;
  options.connect_budget = std::chrono::milliseconds(300);
  Client client(runtime, std::move(options));
  EXPECT_EQ(client.last_failure(), "");
  runtime.spawn(begin_opening(client));
  for (const std::string& reason : reasons) runtime.run(until_it_says(runtime, client, reason));
  EXPECT_EQ(error_of(open(runtime, client, kMoment)), Error::kNotConnected);
  for (const std::string& reason : reasons) {
    EXPECT_NE(client.last_failure().find(reason), std::string::npos) << client.last_failure();
  }
  runtime.drop_spawned();
}

TEST(ConnectionTest, SaysWhyThereIsNoConnection) {
  const SilentServer silent;
  const std::string refused = refused_address();
  const std::string refuses = refused + ": Connection refused";
  const std::string is_silent =
      silent.address() + ": accepted the connection but did not answer within 300 ms";
  expect_reasons(Options(refused), {refuses});
  expect_reasons(Options(silent.address()), {is_silent});
  expect_reasons(Options(silent.address() + "," + refused), {refuses, is_silent});
  expect_reasons(Options("no-such-host.invalid:2181"),
                 {"no-such-host.invalid: the name does not resolve: "});
  TcpProxy closing(ZookeeperServer::shared().port());
  closing.refuse();
  expect_reasons(Options(closing.address()),
                 {closing.address() + ": closed the connection instead of answering"});
}

TEST(ConnectionTest, ServersNeedNotBeAsked) {
  Runtime runtime;
  TcpProxy proxy(ZookeeperServer::shared().port());
  Options options(proxy.address() + "," + refused_address(), kSessionTimeout);
  options.probe_servers = false;
  Client client(runtime, options);
  EXPECT_TRUE(open(runtime, client));
  proxy.refuse();
  runtime.run(until_it_says(runtime, client, proxy.address() + ": the attempt has failed"));
  proxy.accept_again();
  EXPECT_TRUE(open(runtime, client));
}

TEST(ConnectionTest, OptionsThatCannotBeMeantSayWhatIsWrong) {
  Runtime runtime;
  const auto refusal_of = [&runtime](const Options& options) {
    Client client(runtime, options);
    EXPECT_EQ(error_of(open(runtime, client)), Error::kBadArguments);
    return client.last_failure();
  };
  EXPECT_EQ(refusal_of(Options("zk1")), "\"zk1\" is not host:port");
  EXPECT_EQ(refusal_of(Options("zk1:2181/app/")),
            "the chroot \"/app/\" is not a path of ZooKeeper");
  EXPECT_EQ(refusal_of(Options("zk1:2181", std::chrono::milliseconds(1))),
            "the session timeout of 1 ms is not between 100 ms and 86400000 ms");
  EXPECT_EQ(refusal_of(Options("zk1:2181", std::chrono::hours(25))),
            "the session timeout of 90000000 ms is not between 100 ms and 86400000 ms");
  Options hasty("zk1:2181");
  hasty.connect_budget = Duration(0);
  EXPECT_EQ(refusal_of(hasty), "the connect budget is not positive");
}

// As Debian builds it, the C client knows neither.
TEST(ConnectionTest, WhatTheLinkedClientCannotDoIsUnimplemented) {
  Runtime runtime;
  Options options("127.0.0.1:2181");
  options.tls = Tls("ca.pem", "client.pem", "client.key");
  Client encrypted(runtime, options);
  EXPECT_EQ(error_of(open(runtime, encrypted)), Error::kUnimplemented);
  EXPECT_EQ(encrypted.last_failure(), "the linked C client of ZooKeeper was built without TLS");
  options.tls.reset();
  options.sasl = Sasl("me", "/password");
  Client authenticated(runtime, options);
  EXPECT_EQ(error_of(open(runtime, authenticated)), Error::kUnimplemented);
  EXPECT_EQ(authenticated.last_failure(),
            "the linked C client of ZooKeeper was built without SASL");
}

TEST(ConnectionTest, APolicyEndsOpeningWithoutADeadline) {
  const RetryPolicy policies[] = {RetryPolicy::none(),
                                  RetryPolicy::bounded(std::chrono::milliseconds(50))};
  for (const RetryPolicy& policy : policies) {
    Runtime runtime;
    Options options(refused_address());
    options.retry = policy;
    Client client(runtime, options);
    OpenResult result = failure(Error::kNothing);
    runtime.run(open_into(client, lockstep::Context(), result));
    EXPECT_EQ(error_of(result), Error::kNotConnected);
    EXPECT_NE(client.last_failure().find("session: given up after"), std::string::npos);
    EXPECT_NE(client.last_failure().find("Connection refused"), std::string::npos);
  }
}

Task<void> be_given_up(Client& client, TcpProxy& proxy) {
  const auto first = must(co_await client.session(lockstep::Context()), "open");
  StateRecorder recorder(*first);
  const SessionId id = first->id();
  proxy.refuse();
  co_await StateReached(*first, SessionState::kExpired);
  EXPECT_EQ(recorder.states(),
            (std::vector<SessionState>{SessionState::kSuspended, SessionState::kExpired}));
  proxy.accept_again();
  const auto second = must(co_await client.session(lockstep::Context()), "open again");
  EXPECT_NE(second->id(), id);
  must(co_await second->exists("/"), "exists");
}

TEST(ConnectionTest, ASessionWithoutContactIsGivenUp) {
  Runtime runtime;
  TcpProxy proxy(ZookeeperServer::shared().port());
  Options options(proxy.address(), std::chrono::seconds(1));
  options.retry.give_up_session_after = std::chrono::milliseconds(500);
  Client client(runtime, options);
  runtime.run(be_given_up(client, proxy));
}

Task<void> stay_suspended(Runtime& runtime, Client& client, TcpProxy& proxy, Names& names) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  proxy.refuse();
  co_await StateReached(*session, SessionState::kSuspended);
  const int asked = names.asked();
  const std::function<bool()> asked_often = [&] { return names.asked() >= asked + 4; };
  co_await until(runtime, asked_often);
  EXPECT_EQ(session->state(), SessionState::kSuspended);
}

TEST_F(NamedServerTest, WithoutALimitASessionIsNotGivenUp) {
  Options options = this->options(proxy, names);
  options.retry = RetryPolicy::forever();
  Client own(runtime, options);
  runtime.run(stay_suspended(runtime, own, proxy, names));
}

// A server with its own data, which can be lost.
class OwnServer {
 public:
  OwnServer() : process_(directory_.path()) {
    process_.configure(support::free_port(), ZookeeperServer::kTickTime, "");
    start();
  }
  void stop() { process_.stop(); }
  void start() {
    process_.start();
    if (!process_.wait_until_ready()) throw std::runtime_error(process_.log());
  }
  void lose_everything() {
    std::filesystem::remove_all(directory_.path() / "data");
    std::filesystem::create_directories(directory_.path() / "data");
  }
  [[nodiscard]] std::string address() const {
    return "127.0.0.1:" + std::to_string(process_.port());
  }

 private:
  support::TemporaryDirectory directory_;
  support::ServerProcess process_;
};

Task<void> outlive_the_ensemble(Runtime& runtime, Client& client, Client& patient,
                                OwnServer& server) {
  const auto first = must(co_await client.session(lockstep::Context()), "open");
  const auto waits = must(co_await patient.session(lockstep::Context()), "open");
  for (int i = 0; i < 50; ++i) {
    must(co_await first->create("/n-", Data(), CreateMode::kEphemeralSequential), "create");
  }
  must(co_await waits->sync("/"), "sync");
  server.stop();
  server.lose_everything();
  server.start();
  co_await StateReached(*first, SessionState::kExpired);
  const auto second = must(co_await client.session(lockstep::Context()), "open again");
  EXPECT_NE(second, first);
  FairMutex mutex(*second, "/lock");
  HeldLock held = must(co_await mutex.acquire(), "acquire");
  EXPECT_EQ(co_await held.release(), ReleaseOutcome::kReleased);

  co_await until_it_says(runtime, patient, "an ensemble that was rebuilt");
  EXPECT_EQ(waits->state(), SessionState::kSuspended);
}

TEST(ConnectionTest, ARebuiltEnsembleGetsANewSession) {
  OwnServer server;
  Runtime runtime;
  Options options(server.address(), std::chrono::seconds(1));
  options.retry = RetryPolicy::forever();
  Client patient(runtime, options);
  options.retry.give_up_session_after = std::chrono::seconds(3);
  Client client(runtime, options);
  runtime.run(outlive_the_ensemble(runtime, client, patient, server));
}

Task<void> change_servers(Runtime& runtime, Client& client, std::string good) {
  co_await until_it_says(runtime, client, "Connection refused");
  EXPECT_TRUE(client.set_servers(good));
}

TEST(ConnectionTest, TheListOfServersCanChangeBeforeTheFirstConnection) {
  Runtime runtime;
  Client client(runtime, Options(refused_address(), kSessionTimeout));
  runtime.spawn(change_servers(runtime, client, ZookeeperServer::shared().address()));
  EXPECT_TRUE(open(runtime, client));
}

Task<void> move_away(Client& client, TcpProxy& old_way, TcpProxy& new_way) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  StateRecorder recorder(*session);
  const SessionId id = session->id();
  EXPECT_FALSE(client.set_servers("nonsense"));
  EXPECT_FALSE(client.set_servers("zk1:2181/app"));
  EXPECT_TRUE(client.set_servers(new_way.address()));
  must(co_await session->sync("/"), "sync");
  EXPECT_TRUE(recorder.states().empty()) << "a connection that works is left alone";
  old_way.refuse();
  co_await StateReached(*session, SessionState::kSuspended);
  must(co_await session->connected(), "connected");
  EXPECT_EQ(session->id(), id);
}

// Z113: the C client must be at rest while its list changes.
TEST(ConnectionTest, TheListOfServersCanChangeUnderASession) {
  Runtime runtime;
  TcpProxy old_way(ZookeeperServer::shared().port());
  TcpProxy new_way(ZookeeperServer::shared().port());
  Client client(runtime, Options(old_way.address(), kSessionTimeout));
  runtime.run(move_away(client, old_way, new_way));
}

Task<void> attach_once(Runtime& runtime, Client& original) {
  const auto first = must(co_await original.session(lockstep::Context()), "open");
  Options options(ZookeeperServer::shared().address(), kSessionTimeout);
  options.attach_to = original.credentials();
  Client attached(runtime, options);
  const auto same = must(co_await attached.session(lockstep::Context()), "attach");
  EXPECT_EQ(same->id(), first->id());
  must(co_await same->close(), "close");
  const auto own = must(co_await attached.session(lockstep::Context()), "open another");
  EXPECT_NE(own->id(), first->id());
}

TEST(ConnectionTest, AttachesOnlyOnce) {
  Runtime runtime;
  Client client(runtime, Options(ZookeeperServer::shared().address(), kSessionTimeout));
  runtime.run(attach_once(runtime, client));
}

// Lines as they come, from several threads.
class Lines {
 public:
  [[nodiscard]] LogSink sink() {
    return [this](std::string_view line) {
      const std::lock_guard lock(mutex_);
      all_ += line;
      all_ += '\n';
    };
  }
  [[nodiscard]] std::string all() {
    const std::lock_guard lock(mutex_);
    return all_;
  }

 private:
  std::mutex mutex_;
  std::string all_;
};

// Z116: the C client logs to standard error unless told otherwise.
TEST(ConnectionTest, EverySessionLogsIntoItsOwnSink) {
  Lines lines;
  Lines other;
  Runtime runtime;
  const std::string refused = refused_address();
  {
    Options talking(ZookeeperServer::shared().address(), kSessionTimeout);
    talking.log = lines.sink();
    Client client(runtime, talking);
    Client silent(runtime, Options(ZookeeperServer::shared().address(), kSessionTimeout));
    EXPECT_TRUE(open(runtime, client));
    EXPECT_TRUE(open(runtime, silent));
    Options failing(refused, kSessionTimeout);
    failing.log = other.sink();
    Client nowhere(runtime, failing);
    EXPECT_FALSE(open(runtime, nowhere, std::chrono::milliseconds(300)));
  }
  const std::string said = lines.all();
  const std::string session_line("session establishment complete");
  EXPECT_NE(said.find(session_line), std::string::npos) << said;
  EXPECT_EQ(said.find(session_line), said.rfind(session_line)) << "that of one session";
  EXPECT_EQ(said.find(refused), std::string::npos);
  EXPECT_NE(other.all().find("lockstep: " + refused + ": Connection refused"), std::string::npos);
  Client quiet(runtime, Options(ZookeeperServer::shared().address(), kSessionTimeout));
  EXPECT_TRUE(open(runtime, quiet));
  EXPECT_EQ(lines.all(), said);
}

}  // namespace
}  // namespace lockstep::zookeeper
