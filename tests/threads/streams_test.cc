#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include <zookeeper/zookeeper.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <thread>

#include "contenders.h"
#include "lockstep/lab/replay.h"
#include "lockstep/threads/hunt_threads.h"
#include "lockstep/threads/inside.h"

// Connections lose and delay bytes: transfers move only a part, ends come in the middle of a frame,
// and new connections are refused or never established.

namespace lockstep::threads {
namespace {

using namespace std::string_view_literals;

// A ConnectRequest for a new session, and a ping.
constexpr std::string_view kHandshake =
    "\0\0\0\x2c\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x27\x10\0\0\0\0\0\0\0\0"
    "\0\0\0\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"sv;
constexpr std::string_view kPing = "\0\0\0\x08\xff\xff\xff\xfe\0\0\0\x0b"sv;
constexpr std::size_t kHandshakeAnswer = 40;

constexpr std::uint16_t kPort = 2181;

sockaddr_in at(in_addr_t host, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(host);
  address.sin_port = htons(port);
  return address;
}

// Returns -1 and sets errno on failure.
int connected(const sockaddr_in& address = at(INADDR_LOOPBACK, kPort)) {
  const int file = ::socket(AF_INET, SOCK_STREAM, 0);
  if (::connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return file;
  }
  const int error = errno;
  ::close(file);
  return errno = error, -1;
}

// Returns the number of bytes before the end, at most `size`.
std::size_t read_bytes(int file, std::size_t size) {
  std::array<char, 64> bytes{};
  std::size_t count = 0;
  while (count < size) {
    const ssize_t some = ::recvfrom(file, bytes.data(), size - count, 0, nullptr, nullptr);
    if (some <= 0) break;
    count += static_cast<std::size_t>(some);
  }
  return count;
}

lab::HuntReport hunt(void (*body)(), const char* faults, std::uint64_t executions = 2'000) {
  lab::HuntSettings settings;
  settings.executions = executions;
  settings.faults = lab::faults_called(faults, 1);
  settings.size = {1, 1};
  return hunt_threads({.name = "streams", .body = body}, settings);
}

void expect_found(void (*body)(), const char* faults, std::string_view oracle) {
  const lab::HuntReport report = hunt(body, faults);
  ASSERT_FALSE(report.passed());
  EXPECT_EQ(report.failure->violation.oracle, oracle) << report.text();
  EXPECT_LE(report.failure->deviations, 6u);
  const lab::ReplayReport replayed = lab::replay_lock(
      report.failure->replay, under_test(ThreadsUnderTest{.name = "streams", .body = body}));
  EXPECT_EQ(replayed.violation.value().oracle, oracle);
}

// Takes the result of one recv for the whole answer.
void takes_a_part_for_all() {
  const int file = connected();
  ::send(file, kHandshake.data(), kHandshake.size(), 0);
  std::array<char, 64> answer{};
  const ssize_t size = ::recv(file, answer.data(), answer.size(), 0);
  if (size != kHandshakeAnswer) violated("torn", "a part is taken for a message");
  ::close(file);
}

void reads_all() {
  const int file = connected();
  ::send(file, kHandshake.data(), kHandshake.size(), 0);
  if (read_bytes(file, kHandshakeAnswer) != kHandshakeAnswer) violated("torn", "");
  ::close(file);
}

TEST(StreamsTest, AClientThatExpectsWholeMessagesIsFound) {
  expect_found(&takes_a_part_for_all, "none", "user:torn");
  EXPECT_TRUE(hunt(&reads_all, "none").passed());
}

void hears_half_a_message() {
  const int file = connected();
  ::send(file, kHandshake.data(), kHandshake.size(), 0);
  const std::size_t size = read_bytes(file, kHandshakeAnswer);
  if (size > 0 && size < kHandshakeAnswer) violated("half", "the end comes within a message");
  ::close(file);
}

TEST(StreamsTest, AConnectionBreaksWithinAMessage) {
  EXPECT_TRUE(hunt(&hears_half_a_message, "none").passed());
  expect_found(&hears_half_a_message, "cut", "user:half");
}

// Reads the length of the answer and its body into separate buffers.
void hears_half_a_buffer() {
  const int file = connected();
  ::send(file, kHandshake.data(), kHandshake.size(), 0);
  std::array<char, 4> length{};
  std::array<char, kHandshakeAnswer - 4> body{};
  const std::array<iovec, 2> buffers = {iovec{length.data(), length.size()},
                                        iovec{body.data(), body.size()}};
  const ssize_t size = ::readv(file, buffers.data(), 2);
  const bool is_half = size > ssize_t{4} && size < ssize_t{kHandshakeAnswer};
  if (is_half && read_bytes(file, 1) == 0) violated("half", "the end comes within a buffer");
  ::close(file);
}

TEST(StreamsTest, AConnectionBreaksWithinABuffer) {
  EXPECT_TRUE(hunt(&hears_half_a_buffer, "none").passed());
  expect_found(&hears_half_a_buffer, "cut", "user:half");
}

void sends_without_a_look() {
  const int file = connected();
  ::send(file, kHandshake.data(), kHandshake.size(), 0);
  read_bytes(file, kHandshakeAnswer);
  ::fcntl(file, F_SETFL, O_NONBLOCK);
  for (int i = 0; i < 32; ++i) {
    const ssize_t size = ::send(file, kPing.data(), kPing.size(), MSG_NOSIGNAL);
    if (size >= 0 && size < static_cast<ssize_t>(kPing.size())) {
      if (::send(file, &kPing[static_cast<std::size_t>(size)], 1, MSG_NOSIGNAL) != -1) return;
      pollfd asked{file, POLLOUT, 0};
      if (::poll(&asked, 1, -1) == 1) violated("short", "a part has been sent");
    }
  }
  ::close(file);
}

TEST(StreamsTest, ASendTakesAPart) { expect_found(&sends_without_a_look, "none", "user:short"); }

// ------------------------------------------------------------------------------------ connecting

// Returns when its connection has ended, which a fault may have done.
void be_connected_for_a_while() {
  const int file = connected();
  ::send(file, kHandshake.data(), kHandshake.size(), 0);
  read_bytes(file, kHandshakeAnswer);
  pollfd end{file, POLLIN, 0};
  ::poll(&end, 1, 5'000);
  ::close(file);
}

void connects_again() {
  using std::chrono::steady_clock;
  be_connected_for_a_while();
  const steady_clock::time_point began = steady_clock::now();
  const int second = connected();
  const auto took = steady_clock::now() - began;
  if (second == -1) violated(errno == ECONNREFUSED ? "refused" : "unanswered", "");
  if (second != -1 && took == std::chrono::seconds(1)) violated("late", "");
  if (second != -1) ::close(second);
}

TEST(StreamsTest, ConnectionsFailAfterAFault) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 1; seed <= 40 && seen.size() < 3; ++seed) {
    lab::HuntSettings settings;
    settings.executions = 100;
    settings.seed = seed;
    settings.faults = lab::faults_called("cut", 1);
    const lab::HuntReport report =
        hunt_threads({.name = "streams", .body = &connects_again}, settings);
    if (!report.passed()) seen.insert(report.failure->violation.oracle);
  }
  EXPECT_EQ(seen, (std::set<std::string>{"user:late", "user:refused", "user:unanswered"}));
}

// Asks for the end of an attempt that is under way: first without waiting, then with.
void asks_while_it_connects() {
  be_connected_for_a_while();
  const int file = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  const sockaddr_in server = at(INADDR_LOOPBACK, kPort);
  const auto connects = [&] {
    const auto* const name = reinterpret_cast<const sockaddr*>(&server);
    return ::connect(file, name, sizeof server) == 0 ? 0 : errno;
  };
  connects();
  if (connects() == EALREADY) {
    ::fcntl(file, F_SETFL, 0);
    const int error = connects();
    if (error == 0 && connects() == EISCONN) violated("waited", "");
    if (error == EALREADY) violated("unwaited", "");
  }
  ::close(file);
}

TEST(StreamsTest, AConnectWaitsForAnAttemptUnderWay) {
  expect_found(&asks_while_it_connects, "cut", "user:waited");
}

// Listens there, and closes the listener.
void listen_for_a_while(const sockaddr_in& address) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  const bool listens =
      ::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::listen(listener, 1) == 0;
  if (!listens) violated("listener", "");
  ::close(listener);
}

void expect_server(const sockaddr_in& address, bool expected) {
  const int file = connected(address);
  if ((file != -1) != expected) violated("server", std::to_string(ntohs(address.sin_port)));
  if (file == -1 && errno != ECONNREFUSED) violated("errno", std::to_string(errno));
  if (file != -1) ::close(file);
}

void connects_to_closed_listeners() {
  constexpr in_addr_t kOther = 10U << 24 | 1;  // 10.0.0.1
  expect_server(at(INADDR_LOOPBACK, kPort), true);
  listen_for_a_while(at(INADDR_LOOPBACK, kPort));
  expect_server(at(INADDR_LOOPBACK, kPort), false);
  expect_server(at(INADDR_LOOPBACK, kPort + 1), true);
  expect_server(at(kOther, kPort), true);
  listen_for_a_while(at(INADDR_ANY, kPort + 1));
  expect_server(at(INADDR_LOOPBACK, kPort + 1), false);
  // A listener without an address gets the first free port.
  const int unbound = ::socket(AF_INET, SOCK_STREAM, 0);
  ::listen(unbound, 1);
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(unbound, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(unbound);
  expect_server(at(INADDR_LOOPBACK, ntohs(address.sin_port)), false);
}

TEST(StreamsTest, APortOfAClosedListenerIsNoServers) {
  const lab::HuntReport report = hunt(&connects_to_closed_listeners, "none", 100);
  EXPECT_TRUE(report.passed()) << report.text();
}

// A loop around the single-threaded C client asks for no events while a write fails.
void writes_to_a_server_that_has_gone() {
  const int file = connected();
  std::array<char, 64> answer{};
  ::send(file, "ruok", 4, MSG_NOSIGNAL);
  while (::recv(file, answer.data(), answer.size(), 0) > 0) {
  }
  for (int i = 0; i < 100 && ::send(file, "?", 1, MSG_NOSIGNAL) == 1; ++i) ::usleep(1'000);
  pollfd one{file, 0, 0};
  if (::poll(&one, 1, 0) != 1 || one.revents != POLLHUP) violated("quiet", "no hang-up");
  ::close(file);
}

TEST(StreamsTest, AFailedWriteIsAHangUp) {
  const lab::HuntReport report = hunt(&writes_to_a_server_that_has_gone, "none", 10);
  EXPECT_TRUE(report.passed()) << report.text();
}

void connects_to_the_second() {
  News news;
  zhandle_t* const handle =
      zookeeper_init("127.0.0.2:2181,127.0.0.1:2181", &News::tell, 10'000, nullptr, &news, 0);
  news.wait_for_connection();
  zookeeper_close(handle);
}

TEST(StreamsTest, TheCClientPassesOverAServerThatRefuses) {
  const lab::HuntReport report = hunt(&connects_to_the_second, "none", 300);
  EXPECT_TRUE(report.passed()) << report.text();
}

}  // namespace
}  // namespace lockstep::threads
