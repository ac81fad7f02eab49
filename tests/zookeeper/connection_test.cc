#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <latch>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "support/lab.h"
#include "support/session_waits.h"
#include "zookeeper/connection_lab.h"

// Finding servers, and reporting why a server cannot be used.
namespace lockstep::zookeeper {
namespace {

using namespace connection_lab;
using support::must;
using support::StateReached;
using support::StateRecorder;

constexpr std::chrono::milliseconds kInstant(50);

// kSoon is far less than the 26 s that the C client waits for a silent server with this timeout.
constexpr std::chrono::seconds kLongSessionTimeout(40);
constexpr std::chrono::seconds kSoon(13);

Duration time_on_processors() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto spent = [](const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  };
  return spent(usage.ru_utime) + spent(usage.ru_stime);
}

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
  const Duration spent = time_on_processors();
  const std::function<bool()> asked_often = [&] { return names.asked() >= asked + 6; };
  co_await until(runtime, asked_often);
  EXPECT_LT(time_on_processors() - spent, (runtime.now() - start) / 2);
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

// Answers with the address of the proxy, or with one without a server; counts the former.
class MovingName {
 public:
  void move_away() { away_ = true; }
  void come_back() {
    right_answers_ = 0;
    away_ = false;
  }
  [[nodiscard]] int right_answers() const { return right_answers_; }
  [[nodiscard]] Resolver resolver() {
    return [this](const std::string&) -> ResolveResult {
      if (away_) return std::vector<std::string>{"127.0.0.2"};
      ++right_answers_;
      return std::vector<std::string>{"127.0.0.1"};
    };
  }

 private:
  std::atomic<bool> away_ = false;
  std::atomic<int> right_answers_ = 0;
};

Task<void> move_and_come_back(Runtime& runtime, MovingName& name, TcpProxy& proxy, Client& client) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  name.move_away();
  proxy.refuse();
  co_await until_it_says(runtime, client, "127.0.0.2");
  proxy.accept_again();
  name.come_back();
  co_await StateReached(*session, SessionState::kConnected);
}

// Not the answer of the round before.
TEST_F(NamedServerTest, ARoundUsesTheLatestAnswer) {
  MovingName name;
  Options own = options(proxy, names);
  own.resolver = name.resolver();
  Client follows(runtime, own);
  runtime.run(move_and_come_back(runtime, name, proxy, follows));
  EXPECT_EQ(name.right_answers(), 1);
}

// A resolver that blocks as long as no DNS server answers.
class BlockingNames {
 public:
  void go_down() { down_ = true; }
  void come_back() { back_.count_down(); }
  [[nodiscard]] bool is_asked_in_vain() const { return asked_in_vain_; }
  [[nodiscard]] Resolver resolver() {
    return [this](const std::string&) -> ResolveResult {
      if (down_) {
        asked_in_vain_ = true;
        back_.wait();
      }
      return std::vector<std::string>{"127.0.0.1"};
    };
  }

 private:
  std::atomic<bool> down_ = false;
  std::atomic<bool> asked_in_vain_ = false;
  std::latch back_{1};
};

Task<void> expect_reconnection(Runtime& runtime, const lockstep::Session& session) {
  const std::function<bool()> ended = [&session] {
    return session.state() == SessionState::kConnected || is_over(session.state());
  };
  co_await until(runtime, ended);
  EXPECT_EQ(session.state(), SessionState::kConnected);
}

Task<void> reconnect_without_dns(Runtime& runtime, BlockingNames& names, TcpProxy& proxy,
                                 Client& client) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  const SessionId id = session->id();
  names.go_down();
  proxy.refuse();
  const std::function<bool()> asks = [&names] { return names.is_asked_in_vain(); };
  co_await until(runtime, asks);
  proxy.accept_again();
  co_await expect_reconnection(runtime, *session);
  EXPECT_EQ(session->id(), id);
}

TEST_F(NamedServerTest, AnOutageOfDnsCostsNoSession) {
  BlockingNames blocking;
  Options own = options(proxy, names);
  own.resolver = blocking.resolver();
  {
    Client reconnects(runtime, own);
    try {
      runtime.run(reconnect_without_dns(runtime, blocking, proxy, reconnects));
    } catch (const std::runtime_error& failed) {
      ADD_FAILURE() << failed.what();
    }
    blocking.come_back();  // Closing waits for the resolver.
  }
}

Task<void> take_another_server(Runtime& runtime, BlockingNames& names, TcpProxy& proxy,
                               Client& client, std::string servers) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  names.go_down();
  proxy.refuse();
  const std::function<bool()> asks = [&names] { return names.is_asked_in_vain(); };
  co_await until(runtime, asks);
  EXPECT_TRUE(client.set_servers(servers).has_value());
  co_await expect_reconnection(runtime, *session);
}

TEST_F(NamedServerTest, InAnOutageOfDnsAnAddressIsUsedAtOnce) {
  BlockingNames blocking;
  Options own = options(proxy, names);
  own.resolver = blocking.resolver();
  {
    Client moves(runtime, own);
    try {
      runtime.run(take_another_server(runtime, blocking, proxy, moves,
                                      ZookeeperServer::shared().address()));
    } catch (const std::runtime_error& failed) {
      ADD_FAILURE() << failed.what();
    }
    blocking.come_back();  // Closing waits for the resolver.
  }
}

Task<void> let_pass(Runtime& runtime, Duration time) {
  static_cast<void>(co_await sleep_for(runtime, time));
}

// Its runtime may be in a long callback, or not run at all.
TEST(ConnectionTest, ASessionThatIsGivenUpCostsNoProcessorTime) {
  const SilentServer silent;
  Runtime runtime;
  Options options(silent.address(), kSessionTimeout);
  // The thread has begun to diagnose the silence, and would end that after giving up.
  options.retry.give_up_opening_after = std::chrono::milliseconds(400);
  options.connect_budget = std::chrono::milliseconds(300);
  Client client(runtime, options);
  runtime.spawn(begin_opening(client));
  runtime.run(let_pass(runtime, std::chrono::milliseconds(50)));
  Runtime waits;
  waits.run(until_it_says(waits, client, "given up after"));
  const Duration spent = time_on_processors();
  waits.run(let_pass(waits, std::chrono::milliseconds(500)));
  EXPECT_LT(time_on_processors() - spent, std::chrono::milliseconds(250));
  runtime.drop_spawned();
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
  runtime.run(until_it_says(runtime, client, "the resolver returned \"here\""));
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

// Opens a client with these options until it reports all of `reasons`.
void expect_reasons(Options options, const std::vector<std::string>& reasons) {
  Runtime runtime;
  options.connect_budget = std::chrono::milliseconds(300);
  Client client(runtime, std::move(options));
  EXPECT_EQ(client.last_failure(), "");
  runtime.spawn(begin_opening(client));
  for (const std::string& reason : reasons) runtime.run(until_it_says(runtime, client, reason));
  EXPECT_EQ(error_of(open(runtime, client, kInstant)), Error::kNotConnected);
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

// A caller that gives up before any attempt has failed.
TEST(ConnectionTest, SaysWhatItStillWaitsFor) {
  const SilentServer silent;
  const SilentServer other;
  const std::string one = silent.address() + ": has not answered yet";
  const std::string both = silent.address() + "," + other.address();
  for (const std::string& servers : {silent.address(), both}) {
    Runtime runtime;
    Client client(runtime, Options(servers));
    runtime.spawn(begin_opening(client));
    runtime.run(until_it_says(runtime, client, one));
    EXPECT_EQ(error_of(open(runtime, client, kInstant)), Error::kNotConnected);
    runtime.drop_spawned();
  }
}

TEST(ConnectionTest, SaysWhichNameItIsLookingUp) {
  std::latch answers(1);
  Options options("slow:2181");
  options.resolver = [&answers](const std::string&) -> ResolveResult {
    answers.wait();
    return std::vector<std::string>();
  };
  Runtime runtime;
  Client client(runtime, options);
  runtime.spawn(begin_opening(client));
  runtime.run(until_it_says(runtime, client, "slow: the name is being looked up"));
  answers.count_down();
  runtime.drop_spawned();
}

// A server that answers `srvr` and nothing else.
class AnsweringServer {
 public:
  AnsweringServer() : listener_(support::listen_on(0)), thread_([this] { serve(); }) {}
  AnsweringServer(const AnsweringServer&) = delete;
  AnsweringServer& operator=(const AnsweringServer&) = delete;
  ~AnsweringServer() {
    shutdown(listener_, SHUT_RDWR);  // Ends the wait.
    thread_.join();
    for (const int held : held_) close(held);
    close(listener_);
  }
  [[nodiscard]] std::string address() const {
    return "127.0.0.1:" + std::to_string(support::port_of(listener_));
  }

 private:
  void serve() {
    for (int visitor = -1; (visitor = accept(listener_, nullptr, nullptr)) != -1;) {
      std::array<char, 4> question{};
      const bool asks = recv(visitor, question.data(), question.size(), MSG_WAITALL) == 4 &&
                        std::string_view(question.data(), question.size()) == "srvr";
      if (!asks) {
        held_.push_back(visitor);
        continue;
      }
      send(visitor, "Mode: standalone\n", 17, MSG_NOSIGNAL);
      close(visitor);
    }
  }

  int listener_;
  std::vector<int> held_;
  std::thread thread_;
};

TEST(ConnectionTest, SaysThatAServerOnlyAnswersProbes) {
  const AnsweringServer server;
  expect_reasons(Options(server.address()),
                 {server.address() + ": answers `srvr`, but not yet the handshake"});
}

TEST(ConnectionTest, ServersNeedNotBeProbed) {
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

// Z113: the C client must be idle while its server list changes.
TEST(ConnectionTest, TheListOfServersCanChangeUnderASession) {
  Runtime runtime;
  TcpProxy old_way(ZookeeperServer::shared().port());
  TcpProxy new_way(ZookeeperServer::shared().port());
  Client client(runtime, Options(old_way.address(), kSessionTimeout));
  runtime.run(move_away(client, old_way, new_way));
}

}  // namespace
}  // namespace lockstep::zookeeper
