#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "address.h"
#include "address_rotation.h"
#include "backoff.h"
#include "descriptor.h"
#include "failure_log.h"
#include "gate.h"
#include "lockstep/random.h"
#include "lockstep/zookeeper/resolver.h"
#include "probe.h"
#include "real/loopback.h"
#include "server_list.h"

// The parts that establish a connection, without a C client.
namespace lockstep::zookeeper {
namespace {

class RandomStream final : public Random {
 public:
  explicit RandomStream(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t next() override { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

constexpr std::chrono::milliseconds kBase(50);
constexpr std::chrono::seconds kLongest(1);

Address address(const std::string& ip, std::uint16_t port = 2181) {
  return Address::from(ip, port).value();
}

TEST(BackoffTest, WaitsGrowToTheLongestAndAreDrawnFromZero) {
  RandomStream random(1);
  Duration ceiling = kBase;
  std::array<Duration, 10> longest{};
  std::array<Duration, 10> shortest{};
  shortest.fill(Duration::max());
  for (int series = 0; series < 500; ++series) {
    Backoff backoff(kBase, kLongest);
    for (std::size_t i = 0; i < longest.size(); ++i) {
      const Duration wait = backoff.next(random);
      longest[i] = std::max(longest[i], wait);
      shortest[i] = std::min(shortest[i], wait);
    }
  }
  for (std::size_t i = 0; i < longest.size(); ++i) {
    EXPECT_GE(shortest[i], Duration(0));
    EXPECT_LE(shortest[i], ceiling / 10);
    EXPECT_LE(longest[i], ceiling);
    EXPECT_GE(longest[i], ceiling * 9 / 10);
    ceiling = std::min<Duration>(2 * ceiling, kLongest);
  }
  EXPECT_EQ(ceiling, kLongest);
}

TEST(BackoffTest, StartsAgainAfterAReset) {
  RandomStream random(2);
  Backoff backoff(kBase, kLongest);
  for (int round = 0; round < 200; ++round) {
    EXPECT_LE(backoff.next(random), kBase);
    static_cast<void>(backoff.next(random));
    backoff.reset();
  }
}

TEST(BackoffTest, WaitsCanBeZero) {
  RandomStream random(3);
  Backoff backoff(Duration(0), Duration(0));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(backoff.next(random), Duration(0));
}

TEST(AddressRotationTest, EveryAddressComesOnceInARound) {
  RandomStream random(4);
  const std::vector<Address> addresses = {address("10.0.0.1"), address("10.0.0.2"),
                                          address("10.0.0.2", 2182), address("10.0.0.1")};
  AddressRotation rotation;
  std::set<std::string> first;
  for (int round = 0; round < 100; ++round) {
    rotation.start(addresses, random);
    EXPECT_EQ(rotation.size(), 3u);
    std::set<std::string> seen;
    while (const std::optional<Address> next = rotation.next()) {
      if (seen.empty()) first.insert(next->text());
      seen.insert(next->text());
    }
    EXPECT_EQ(seen.size(), 3u);
    EXPECT_TRUE(rotation.empty());
  }
  EXPECT_EQ(first.size(), 3u) << "each is the first one now and then";
}

TEST(AddressRotationTest, AddressesNotYetTriedComeNext) {
  RandomStream random(5);
  AddressRotation rotation;
  rotation.start({address("10.0.0.1"), address("10.0.0.2")}, random);
  const Address first = *rotation.next();
  rotation.put_back(first);
  EXPECT_EQ(rotation.next(), first);
}

TEST(AddressTest, IsNumeric) {
  EXPECT_EQ(address("10.0.0.1").text(), "10.0.0.1:2181");
  EXPECT_EQ(address("::1").text(), "[::1]:2181");
  EXPECT_EQ(address("::1").for_c_client(Address::Spelling::kPlain), "::1:2181");
  EXPECT_EQ(address("::1").for_c_client(Address::Spelling::kMapped), "::1:2181");
  EXPECT_EQ(address("127.0.0.1").for_c_client(Address::Spelling::kPlain), "127.0.0.1:2181");
  EXPECT_EQ(address("127.1").for_c_client(Address::Spelling::kMapped), "::ffff:127.0.0.1:2181");
  EXPECT_FALSE(Address::from("localhost", 2181));
  EXPECT_FALSE(Address::from("10.0.0", 0) && Address::from("10.0.0.256", 2181));
}

TEST(ServerListTest, ParsesConnectionStrings) {
  const ServerList list("zk1:2181,10.0.0.1:2182,[::1]:2183,fe80::1:2184");
  ASSERT_EQ(list.servers().size(), 4u);
  EXPECT_EQ(list.servers()[0].host, "zk1");
  EXPECT_EQ(list.servers()[1].port, 2182);
  EXPECT_EQ(list.servers()[2].host, "::1");
  EXPECT_EQ(list.servers()[3].host, "fe80::1");
  EXPECT_EQ(ServerList("zk1").defect(), "\"zk1\" is not host:port");
  EXPECT_TRUE(ServerList("zk1:2181,zk2:x").servers().empty());
  EXPECT_NE(ServerList("http://zk1:2181").defect()->find("a slash"), std::string::npos);
  EXPECT_TRUE(ServerList("zk1/app:2181").servers().empty());
}

TEST(FailureLogTest, KeepsTheLastReasonOfEveryServer) {
  FailureLog log;
  EXPECT_EQ(log.text(), "");
  EXPECT_TRUE(log.note("a:1", "refused"));
  EXPECT_TRUE(log.note("b:1", "silent"));
  EXPECT_FALSE(log.note("a:1", "refused")) << "nothing new";
  EXPECT_EQ(log.text(), "b:1: silent; a:1: refused");
  EXPECT_TRUE(log.note("a:1", "silent"));
  EXPECT_EQ(log.text(), "b:1: silent; a:1: silent");
  log.clear();
  EXPECT_EQ(log.text(), "");
}

TEST(FailureLogTest, NamesWhatIsAwaitedUntilThereIsAReason) {
  FailureLog log;
  log.wait_for("a:1", "has not answered yet");
  EXPECT_EQ(log.text(), "a:1: has not answered yet");
  EXPECT_TRUE(log.note("a:1", "refused")) << "what is awaited is no news, but this is";
  log.wait_for("a:1", "has not answered yet");
  EXPECT_EQ(log.text(), "a:1: refused");
  log.forget("a:1");
  EXPECT_EQ(log.text(), "");
}

TEST(FailureLogTest, WhatIsAwaitedReplacesNoReason) {
  FailureLog log;
  for (int i = 0; i < 64; ++i) log.note("server " + std::to_string(i), "refused");
  log.wait_for("another", "has not answered yet");
  EXPECT_EQ(log.text().find("another"), std::string::npos) << log.text();
}

bool note_server(FailureLog& log, int number) {
  return log.note("server " + std::to_string(number), "refused");
}

TEST(FailureLogTest, AnOutageOfManyServersIsNewsOnce) {
  FailureLog log;
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(note_server(log, i));
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(note_server(log, i));
  for (int i = 0; i < 10; ++i) {
    EXPECT_NE(log.text().find("server " + std::to_string(i) + ": refused"), std::string::npos);
  }
}

TEST(FailureLogTest, NamesTheLatestOfManyServersAndCountsTheOthers) {
  FailureLog log;
  for (int i = 0; i < 33; ++i) note_server(log, i);
  EXPECT_TRUE(log.text().starts_with("1 other; server 1: refused; ")) << log.text();
  EXPECT_TRUE(log.text().ends_with("; server 32: refused"));
  for (int i = 0; i < 1000; ++i) note_server(log, i);
  EXPECT_TRUE(log.text().starts_with("32 others; server 968: refused; ")) << log.text();
}

TEST(ResolverTest, TheSystemResolvesThisMachineAndRefusesUnknownNames) {
  const ResolveResult here = resolve_by_system("localhost");
  ASSERT_TRUE(here) << here.error();
  EXPECT_TRUE(std::ranges::find(*here, "127.0.0.1") != here->end() ||
              std::ranges::find(*here, "::1") != here->end());
  const ResolveResult nowhere = resolve_by_system("no-such-host.invalid");
  ASSERT_FALSE(nowhere);
  EXPECT_FALSE(nowhere.error().empty());
}

// Runs a probe to its end; without an answer, as if `budget` had passed.
std::optional<std::string> probe(std::uint16_t port) {
  const TimePoint start{};
  const Duration budget = std::chrono::seconds(2);
  Probe probe(address("127.0.0.1", port), Probe::Depth::kAnswer, 0, start, budget);
  for (TimePoint now = start; !probe.over(); now += budget) {
    pollfd ready = probe.interest();
    static_cast<void>(poll(&ready, 1, 100));
    probe.go_on(now);
  }
  return probe.failure();
}

TEST(ProbeTest, SaysWhyAServerCannotBeUsed) {
  EXPECT_EQ(probe(support::refusing_port()), "Connection refused");
  const Descriptor silent(support::listen_on(0));
  EXPECT_EQ(probe(support::port_of(silent.get())),
            "accepted the connection but did not answer within 2000 ms");
}

// A socket connected to the first entry of the list.
Descriptor visit(const std::string& list) {
  const std::string first = list.substr(0, list.find(','));
  const std::size_t colon = first.find(':');
  const auto port = static_cast<std::uint16_t>(std::stoi(first.substr(colon + 1)));
  const Address gate = address(first.substr(0, colon), port);
  Descriptor visitor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(connect(visitor.get(), gate.get(), gate.size()), 0);
  return visitor;
}

// The handshake of the C client.
std::array<char, 49> handshake(std::uint8_t session, char password) {
  std::array<char, 49> bytes{};
  bytes[3] = 45;
  bytes[15] = 7;  // the zxid
  bytes[27] = static_cast<char>(session);
  bytes[31] = 16;
  for (std::size_t i = 32; i < 48; ++i) bytes[i] = password;
  return bytes;
}

void say(const Descriptor& socket, const std::array<char, 49>& bytes) {
  ASSERT_EQ(send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), 49);
}

TEST(GateTest, LetsOnlyTheSessionIn) {
  RandomStream random(6);
  Gate gate;
  ASSERT_EQ(gate.open(random), std::nullopt);
  const std::string list = gate.route(std::nullopt);
  Gate::Guest expected;
  expected.session = 5;
  expected.password.fill('p');

  const Descriptor silent = visit(list);
  const Descriptor stranger = visit(list);
  say(stranger, handshake(5, 'x'));
  EXPECT_FALSE(gate.receive(expected));
  EXPECT_FALSE(gate.has_guest());
  const Descriptor client = visit(list);
  say(client, handshake(5, 'p'));
  EXPECT_TRUE(gate.receive(expected));
  EXPECT_TRUE(gate.has_guest());
  EXPECT_EQ(gate.zxid(), 7);
  EXPECT_FALSE(gate.receive(expected)) << "it has arrived already";
  gate.hang_up();
  char byte = 0;
  EXPECT_EQ(recv(client.get(), &byte, 1, 0), 0);
  EXPECT_FALSE(gate.has_guest());
}

// The descriptor that a fork copies keeps a connection open.
TEST(GateTest, HangsUpAlthoughAForkedChildHasTheDescriptor) {
  RandomStream random(9);
  Gate gate;
  ASSERT_EQ(gate.open(random), std::nullopt);
  const Descriptor client = visit(gate.route(std::nullopt));
  say(client, handshake(0, 0));
  EXPECT_TRUE(gate.receive(Gate::Guest()));
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  gate.hang_up();
  pollfd end{client.get(), POLLRDHUP, 0};
  EXPECT_EQ(poll(&end, 1, 10'000), 1);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST(GateTest, NoticesThatItsGuestHasLeft) {
  RandomStream random(7);
  Gate gate;
  ASSERT_EQ(gate.open(random), std::nullopt);
  Descriptor client = visit(gate.route(std::nullopt));
  say(client, handshake(0, 0));
  EXPECT_TRUE(gate.receive(Gate::Guest()));
  client.reset();
  EXPECT_FALSE(gate.receive(Gate::Guest()));
  EXPECT_FALSE(gate.has_guest());
}

// Once it has closed its side, waiting for it would not block.
TEST(GateTest, TurnsAVisitorAwayThatDoesNotSpeakTls) {
  RandomStream random(10);
  Gate gate;
  ASSERT_EQ(gate.open(random), std::nullopt);
  Gate::Guest expected;
  expected.speaks_tls = true;
  const Descriptor stranger = visit(gate.route(std::nullopt));
  say(stranger, handshake(0, 0));
  EXPECT_FALSE(gate.receive(expected));
  EXPECT_FALSE(gate.has_guest());
  pollfd end{stranger.get(), POLLRDHUP, 0};
  EXPECT_EQ(poll(&end, 1, 10'000), 1);
}

TEST(GateTest, NoticesTheEndOfAVisitorThatSentMoreThanAHandshake) {
  RandomStream random(11);
  Gate gate;
  ASSERT_EQ(gate.open(random), std::nullopt);
  Descriptor stranger = visit(gate.route(std::nullopt));
  say(stranger, handshake(6, 'x'));
  say(stranger, handshake(6, 'x'));
  stranger.reset();
  EXPECT_FALSE(gate.receive(Gate::Guest()));
  EXPECT_FALSE(gate.receive(Gate::Guest()));
  std::vector<pollfd> descriptors;
  gate.add_interest(descriptors);
  EXPECT_EQ(descriptors.size(), 1U);
}

TEST(GateTest, EveryListDiffersFromTheOneBefore) {
  RandomStream random(8);
  Gate gate;
  ASSERT_EQ(gate.open(random), std::nullopt);
  const std::string nowhere = gate.route(std::nullopt);
  const std::string nowhere_else = gate.route(std::nullopt);
  EXPECT_NE(nowhere, nowhere_else);
  EXPECT_NE(nowhere_else, gate.route(std::nullopt));
  const std::string there = gate.route(address("10.0.0.1"));
  EXPECT_NE(there.find(",10.0.0.1:2181,"), std::string::npos);
  EXPECT_EQ(there.substr(0, there.find(',')), there.substr(there.rfind(',') + 1));
}

}  // namespace
}  // namespace lockstep::zookeeper
