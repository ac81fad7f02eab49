#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "linux_answers.h"

namespace lockstep::intercept {
namespace {

TEST(LinuxTest, AReadOfNoBytesDoesNotWait) {
  expect_answers_of_linux(
      [] { return Kinds().ask([](int file) { return ::read(file, nullptr, 0); }); });
}

TEST(LinuxTest, AWriteOfNoBytesDoesNotWait) {
  expect_answers_of_linux([] {
    const IgnoresBrokenPipes ignores;
    return Kinds().ask([](int file) { return ::write(file, nullptr, 0); });
  });
}

// Returns a nonblocking socket whose attempt to connect has been refused.
int refused_socket() {
  const int file = make_socket(SOCK_NONBLOCK);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(1);
  EXPECT_EQ(::connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address), -1);
  EXPECT_EQ(errno, EINPROGRESS);
  pollfd asked{file, POLLOUT, 0};
  EXPECT_EQ(::poll(&asked, 1, -1), 1);
  return file;
}

TEST(LinuxTest, ATransferOnARefusedSocketTellsTheError) {
  expect_answers_of_linux([] {
    const IgnoresBrokenPipes ignores;
    const int writer = refused_socket();
    const int reader = refused_socket();
    char byte = 0;
    const Answers answers = {
        answer_of(::write(writer, &byte, 1)), answer_of(::write(writer, &byte, 1)),
        answer_of(::read(reader, &byte, 1)), answer_of(::read(reader, &byte, 1))};
    for (const int file : {writer, reader}) ::close(file);
    return answers;
  });
}

TEST(LinuxTest, ARefusedSocketIsReadyForAll) {
  expect_answers_of_linux([] {
    const int file = refused_socket();
    char byte = 0;
    Answers answers = {answer_of(events_now(file)), answer_of(::read(file, &byte, 1)),
                       answer_of(events_now(file))};
    ::close(file);
    return answers;
  });
}

TEST(LinuxTest, AListenerHasNoBytesAndNoPeer) {
  expect_answers_of_linux([] {
    const IgnoresBrokenPipes ignores;
    const int listener = make_socket();
    EXPECT_EQ(::listen(listener, 1), 0);
    sockaddr_in own{};
    socklen_t size = sizeof own;
    auto* const name = reinterpret_cast<sockaddr*>(&own);
    EXPECT_EQ(::getsockname(listener, name, &size), 0);
    char byte = 0;
    Answers answers = {
        answer_of(::read(listener, &byte, 1)), answer_of(::recv(listener, &byte, 1, 0)),
        answer_of(::write(listener, &byte, 1)), answer_of(::send(listener, &byte, 1, 0)),
        answer_of(::connect(listener, name, size))};
    ::close(listener);
    return answers;
  });
}

TEST(LinuxTest, CallsOfSocketsTakeNothingElse) {
  expect_answers_of_linux([] {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    char byte = 0;
    iovec buffer{&byte, sizeof byte};
    msghdr message{};
    message.msg_iov = &buffer;
    message.msg_iovlen = 1;
    Answers answers = {answer_of(::recv(ends[0], &byte, 1, 0)),
                       answer_of(::recvfrom(ends[0], &byte, 1, 0, nullptr, nullptr)),
                       answer_of(::recvmsg(ends[0], &message, 0)),
                       answer_of(::send(ends[1], &byte, 1, 0)),
                       answer_of(::sendto(ends[1], &byte, 1, 0, nullptr, 0)),
                       answer_of(::sendmsg(ends[1], &message, 0))};
    for (const int file : ends) ::close(file);
    return answers;
  });
}

std::string option_text(int file, int option) {
  int value = 0;
  socklen_t size = sizeof value;
  EXPECT_EQ(::getsockopt(file, SOL_SOCKET, option, &value, &size), 0);
  return std::to_string(value);
}

TEST(LinuxTest, ASocketTellsItsKind) {
  expect_answers_of_linux([] {
    const int tcp = make_socket();
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    Answers answers;
    for (const int file : {tcp, ends[0]}) {
      answers.push_back(option_text(file, SO_DOMAIN));
      answers.push_back(option_text(file, SO_PROTOCOL));
      for (const int buffer : {SO_SNDBUF, SO_RCVBUF}) EXPECT_NE(option_text(file, buffer), "0");
    }
    answers.push_back(answer_of(::shutdown(ends[0], 7)));
    for (const int file : {tcp, ends[0], ends[1]}) ::close(file);
    return answers;
  });
}

TEST(LinuxTest, TruncatedBytesOfTcpAreDiscarded) {
  expect_answers_of_linux([] {
    const auto [client, server] = connection();
    // One byte at a time: a stream may give only a part of more.
    std::array<char, 2> bytes{'a', 'b'};
    EXPECT_EQ(::send(client, bytes.data(), bytes.size(), 0), 2);
    Answers answers = {answer_of(::recv(server, nullptr, 1, MSG_TRUNC)),
                       answer_of(::recv(server, bytes.data(), 1, 0)), std::string(1, bytes[0])};
    for (const int file : {client, server}) ::close(file);
    return answers;
  });
}

TEST(LinuxTest, TheRandomDevicesTakeBytes) {
  expect_answers_of_linux([] {
    const int file = ::open("/dev/urandom", O_RDWR);
    const std::array<char, 3> bytes{};
    Answers answers = {answer_of(::write(file, bytes.data(), bytes.size()))};
    ::close(file);
    return answers;
  });
}

TEST(LinuxTest, ATransferThatFailsForItsSizeDoesNotWait) {
  expect_answers_of_linux([] {
    const int full = ::eventfd(0, 0);
    EXPECT_EQ(::eventfd_write(full, ~std::uint64_t{0} - 1), 0);
    const int timer = ::timerfd_create(CLOCK_MONOTONIC, 0);
    std::uint32_t half = 0;
    const iovec buffer{&half, sizeof half};
    Answers answers = {
        answer_of(::write(full, &half, sizeof half)), answer_of(::writev(full, &buffer, 1)),
        answer_of(::read(timer, &half, sizeof half)), answer_of(::readv(timer, &buffer, 1)),
        answer_of(::write(timer, &half, sizeof half))};
    for (const int file : {full, timer}) ::close(file);
    return answers;
  });
}

TEST(LinuxTest, AFullPairTakesNoBytes) {
  expect_answers_of_linux([] {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
    const std::array<char, 4096> bytes{};
    while (::write(ends[0], bytes.data(), bytes.size()) > 0) {
    }
    EXPECT_EQ(::fcntl(ends[0], F_SETFL, 0), 0);
    const std::string answer = answer_of(::write(ends[0], nullptr, 0));
    for (const int file : ends) ::close(file);
    return Answers{answer};
  });
}

}  // namespace
}  // namespace lockstep::intercept
