// Many clients, and clients that misbehave: the servers go on, and their memory stays bounded.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "lockstep/service/control.h"
#include "raw_session.h"
#include "served.h"

namespace lockstep::service {
namespace {

using wire::Op;

constexpr std::size_t kMegabyte = 1U << 20U;
constexpr int kCrowd = 10'000;

void raise_descriptor_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0;
  std::size_t resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

int connect_to(std::uint16_t port) {
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  if (descriptor < 0) return -1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return descriptor;
  }
  close(descriptor);
  return -1;
}

std::string greeting() {
  std::string stream;
  wire::append_frame(stream, wire::encode(wire::ConnectRequest{.timeout_ms = 40'000,
                                                               .password = std::string(16, '\0')}));
  return stream;
}

// Runs in a child process: opens that many sessions, and reports it with a byte; they end with
// `end`.
void open_sessions(std::uint16_t port, int count, const std::string& hello, int said, int end) {
  std::array<char, 64> welcome{};
  for (int opened = 0; opened < count; ++opened) {
    const int descriptor = connect_to(port);
    if (descriptor < 0 || send(descriptor, hello.data(), hello.size(), 0) < 0) _exit(1);
    if (recv(descriptor, welcome.data(), welcome.size(), 0) <= 0) _exit(2);
  }
  char byte = 'x';
  if (write(said, &byte, 1) != 1) _exit(3);
  static_cast<void>(read(end, &byte, 1));
  _exit(0);
}

TEST(CrowdTest, TenThousandIdleSessionsLeaveRoomForOthers) {
  raise_descriptor_limit();
  Service service({.tick_time = std::chrono::seconds(4)});
  std::array<int, 2> said{};
  std::array<int, 2> end{};
  ASSERT_EQ(pipe(said.data()) + pipe(end.data()), 0);
  const std::string hello = greeting();
  const pid_t clients = fork();
  if (clients == 0) {
    close(end[1]);
    open_sessions(service.ports().front(), kCrowd, hello, said[1], end[0]);
  }
  close(said[1]);
  const std::size_t before = resident_bytes();
  std::thread serving([&] { service.run(); });
  char byte = 0;
  EXPECT_EQ(read(said[0], &byte, 1), 1);
  Control control(service);
  EXPECT_EQ(control.sessions().size(), static_cast<std::size_t>(kCrowd));
  EXPECT_LT(resident_bytes() - before, kCrowd * 8192U);
  {
    RawSession ann(service.ports().front());
    ann.create("/a");
    EXPECT_EQ(ann.exists("/a"), 0);
  }
  close(end[1]);
  int status = -1;
  waitpid(clients, &status, 0);
  EXPECT_EQ(status, 0);
  service.stop();
  serving.join();
  for (const int descriptor : {said[0], end[0]}) close(descriptor);
}

TEST(CrowdTest, AClientThatReadsNoAnswersTakesLittleMemory) {
  constexpr int kReads = 500;
  Served served;
  const std::uint16_t port = served.service().ports().front();
  RawSession slow(port);
  slow.create("/large");
  slow.ask(Op::kSetData,
           wire::SetDataRequest{
               .path = "/large", .data = std::string(kMegabyte - 100, 'x'), .version = -1});
  const std::size_t before = resident_bytes();
  slow.send_together(kReads, Op::kGetData, wire::ReadRequest{.path = "/large"});
  RawSession other(port);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(other.exists("/large"), 0);
  // The sanitizer keeps freed memory for a while.
  EXPECT_LT(resident_bytes(), before + 300 * kMegabyte);
  for (int i = 0; i < kReads; ++i) {
    const wire::Reply reply = slow.reply(Op::kGetData);
    ASSERT_EQ(reply.err, 0);
    ASSERT_EQ(reply.xid, i + 3);
  }
  EXPECT_EQ(slow.exists("/large"), 0);
}

// Reading on, once answers have been taken, is no event of the servers.
TEST(CrowdTest, WhatComesAfterManyAnswersIsAnswered) {
  constexpr int kReads = 30;
  std::string unknown;
  wire::append_frame(unknown, std::string("\0\0\0\x07\0\0\0\x4d", 8));
  std::string ping;
  wire::append_frame(ping, wire::encode({.xid = wire::kPingXid, .op = Op::kPing, .body = {}}));
  Served served;
  const std::uint16_t port = served.service().ports().front();
  RawSession writer(port);
  writer.create("/large");
  writer.ask(Op::kSetData,
             wire::SetDataRequest{
                 .path = "/large", .data = std::string(kMegabyte / 5, 'x'), .version = -1});
  const wire::ReadRequest read{.path = "/large"};
  for (const std::string& last : {unknown, std::string("\x7f\xff\xff\xff", 4)}) {
    RawSession leaving(port);
    leaving.send_together(kReads, Op::kGetData, read, last);
    leaving.wait_for_close();
  }
  RawSession pinging(port);
  pinging.send_together(kReads, Op::kGetData, read, ping);
  for (int i = 0; i < kReads; ++i) EXPECT_EQ(pinging.reply(Op::kGetData).err, 0);
  EXPECT_EQ(pinging.reply(Op::kPing).xid, wire::kPingXid);
}

TEST(CrowdTest, APathOfVeryManyNamesDisturbsNoClient) {
  constexpr int kNames = 450'000;
  std::string path;
  for (int i = 0; i < kNames; ++i) path += "/a";
  Served served;
  const std::uint16_t port = served.service().ports().front();
  RawSession ann(port);
  RawSession bob(port);
  EXPECT_EQ(ann.exists(path), -101);
  wire::CreateRequest create{.path = path, .data = "", .flags = 0};
  create.acl.emplace().push_back({.perms = 31, .id = {.scheme = "world", .id = "anyone"}});
  EXPECT_EQ(ann.ask(Op::kCreate, create).err, -101);
  EXPECT_EQ(bob.exists("/"), 0);
}

TEST(CrowdTest, AMultiReadOfTooMuchEndsItsConnectionOnly) {
  constexpr std::size_t kMuchTooMany = 2500;
  constexpr std::size_t kMany = 30;
  constexpr int kTogether = 3;
  Served served;
  const std::uint16_t port = served.service().ports().front();
  RawSession greedy(port);
  RawSession reader(port);
  greedy.create("/large");
  greedy.ask(Op::kSetData,
             wire::SetDataRequest{
                 .path = "/large", .data = std::string(kMegabyte - 100, 'x'), .version = -1});
  wire::MultiRequest reads;
  reads.ops.assign(kMuchTooMany, {.op = Op::kGetData, .body = wire::ReadRequest{.path = "/large"}});
  const std::size_t before = resident_bytes();
  greedy.send(Op::kMultiRead, reads);
  greedy.wait_for_close();
  EXPECT_EQ(reader.exists("/"), 0);
  reads.ops.resize(kMany);
  reader.send_together(kTogether, Op::kMultiRead, reads);
  for (int i = 0; i < kTogether; ++i) {
    const wire::Reply reply = reader.reply(Op::kMultiRead);
    ASSERT_EQ(std::get<wire::MultiReply>(reply.body).results.size(), kMany);
  }
  EXPECT_LT(resident_bytes(), before + 500 * kMegabyte);
}

// Messages wait unread when a turn takes long, or the process does not run.
TEST(CrowdTest, ALateTurnExpiresNobodyWhoHasSentSomething) {
  constexpr std::chrono::milliseconds kTick(100);
  Service service({.tick_time = kTick});
  Control control(service);
  const std::uint16_t port = service.ports().front();
  for (bool all_live = false; !all_live;) {
    std::thread serving([&] { service.run(); });
    std::vector<std::unique_ptr<RawSession>> sessions;
    for (int i = 0; i < 5; ++i) sessions.push_back(std::make_unique<RawSession>(port, 2 * kTick));
    service.stop();
    serving.join();
    const std::vector<Control::Session> known = control.sessions();
    all_live = true;
    for (const auto& session : sessions) {
      all_live =
          all_live && std::ranges::find(known, session->id(), &Control::Session::id) != known.end();
    }
    if (!all_live) continue;  // The machine is slow.
    for (const auto& session : sessions) session->send(Op::kPing, wire::Nothing{});
    const auto much_later = std::chrono::steady_clock::now() + 5 * kTick;
    while (std::chrono::steady_clock::now() < much_later) {
    }
    std::thread again([&] { service.run(); });
    for (const auto& session : sessions) EXPECT_EQ(session->reply(Op::kPing).err, 0);
    service.stop();
    again.join();
  }
}

TEST(CrowdTest, AClientThatReadsNothingKeepsNoSocketAfterItsSession) {
  constexpr int kReads = 60;
  Served served;
  const std::uint16_t port = served.service().ports().front();
  RawSession slow(port);
  slow.create("/large");
  slow.ask(Op::kSetData,
           wire::SetDataRequest{
               .path = "/large", .data = std::string(kMegabyte - 100, 'x'), .version = -1});
  slow.send_together(kReads, Op::kGetData, wire::ReadRequest{.path = "/large"});
  RawSession other(port);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(other.exists("/large"), 0);
  Control control(served.service());
  ASSERT_TRUE(control.expire(slow.id()).has_value());
  EXPECT_TRUE(slow.wait_for_reset());
  EXPECT_EQ(other.exists("/large"), 0);
}

TEST(CrowdTest, AClientThatReadsNoEventsLosesItsConnection) {
  Served served;
  const std::uint16_t port = served.service().ports().front();
  const std::string name = "/" + std::string(kMegabyte / 4, 'x');
  RawSession writer(port);
  writer.create(name);
  RawSession deaf(port);
  EXPECT_EQ(deaf.ask(Op::kAddWatch, wire::WatchesRequest{.path = name, .type = 0}).err, 0);
  const std::size_t before = resident_bytes();
  Control control(served.service());
  const auto is_connected = [&] {
    for (const Control::Session& session : control.sessions()) {
      if (session.id == deaf.id()) return session.connected;
    }
    return false;
  };
  int writes = 0;
  for (; writes < 1000 && is_connected(); ++writes) {
    writer.ask(Op::kSetData, wire::SetDataRequest{.path = name, .data = "", .version = -1});
  }
  EXPECT_LT(writes, 1000);
  EXPECT_LT(resident_bytes(), before + 200 * kMegabyte);
  deaf.wait_for_close();
  EXPECT_EQ(writer.exists("/"), 0);
}

TEST(CrowdTest, AClientThatAsksForNoSessionLosesItsConnection) {
  constexpr int kMuchTooLongMs = 30'000;
  Served served(ServiceOptions{.sessionless_connection_timeout = std::chrono::seconds(1)});
  const std::uint16_t port = served.service().ports().front();
  RawSession idle(port);
  const std::string hello = greeting();
  std::vector<pollfd> waiting;
  for (const std::string& bytes : {std::string(), hello.substr(0, 3), hello.substr(0, 20)}) {
    const int descriptor = connect_to(port);
    ASSERT_GE(descriptor, 0);
    ASSERT_EQ(send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL), std::ssize(bytes));
    waiting.push_back({.fd = descriptor, .events = POLLIN, .revents = 0});
  }
  for (pollfd& each : waiting) {
    ASSERT_EQ(poll(&each, 1, kMuchTooLongMs), 1);
    char byte = 0;
    EXPECT_EQ(recv(each.fd, &byte, 1, 0), 0);
    close(each.fd);
  }
  EXPECT_EQ(idle.exists("/"), 0);
}

TEST(CrowdTest, GarbageAndHalfOpenConnectionsDisturbNoClient) {
  constexpr int kEach = 100;
  raise_descriptor_limit();
  Served served;
  const std::uint16_t port = served.service().ports().front();
  RawSession ann(port);
  ann.create("/a");
  const std::string hello = greeting();
  const std::vector<std::string> all = {
      "",                                  // A half-open connection.
      std::string("\0\0", 2),              // Less than a length.
      std::string("\xff\xff\xff\xff", 4),  // A negative length.
      // A length beyond the limit.
      std::string("\x7f\xff\xff\xff", 4), std::string("\0\0\0\x20half", 8),  // Less than a frame.
      hello.substr(0, hello.size() - 1), hello + std::string("\0\0\0\4\0\0", 6),
      hello + std::string("\0\0\0\2\0\0", 6), hello + hello, "GET / HTTP/1.1\r\n\r\n",
      std::string(5000, 'x')};
  std::vector<int> descriptors;
  for (int i = 0; i < kEach; ++i) {
    for (const std::string& bytes : all) {
      const int descriptor = connect_to(port);
      ASSERT_GE(descriptor, 0);
      static_cast<void>(send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL));
      descriptors.push_back(descriptor);
    }
    EXPECT_EQ(ann.exists("/a"), 0);
    RawSession bob(port);
    EXPECT_EQ(bob.exists("/a"), 0);
  }
  for (const int descriptor : descriptors) close(descriptor);
  EXPECT_EQ(ann.exists("/a"), 0);
}

}  // namespace
}  // namespace lockstep::service
