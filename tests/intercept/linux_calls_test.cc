#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "linux_answers.h"

// Calls with arguments that they refuse, options of sockets, and names, answered as in Linux.

namespace lockstep::intercept {
namespace {

TEST(LinuxTest, CallsForFilesRefuseOtherDescriptors) {
  expect_answers_of_linux([] {
    const Kinds kinds;
    Answers answers;
    char byte = 0;
    const iovec buffer{&byte, sizeof byte};
    const auto ask = [&](const std::function<ssize_t(int)>& call) {
      for (std::string& answer : kinds.ask(call)) answers.push_back(std::move(answer));
      answers.push_back(answer_of(call(900)));  // Not open.
    };
    ask([](int file) { return ::fsync(file); });
    ask([](int file) { return ::fdatasync(file); });
    for (const off_t offset : {0, -1}) {
      ask([=](int file) { return ::ftruncate(file, offset); });
      ask([&](int file) { return ::pread(file, &byte, 1, offset); });
      ask([&](int file) { return ::pwrite(file, &byte, 1, offset); });
      ask([&](int file) { return ::preadv(file, &buffer, 1, offset); });
      ask([&](int file) { return ::pwritev(file, &buffer, 1, offset); });
    }
    ask([&](int file) { return ::pread(file, &byte, 0, 0); });
    ask([&](int file) { return ::preadv2(file, &buffer, 1, 0, 0); });
    ask([&](int file) { return ::pwritev2(file, &buffer, 1, 0, 0); });
    return answers;
  });
}

TEST(LinuxTest, TheRandomDevicesCanBeReadAtAnOffset) {
  expect_answers_of_linux([] {
    const int file = ::open("/dev/urandom", O_RDONLY);
    if (file < 0) throw std::runtime_error("there is no /dev/urandom");
    std::array<char, 3> bytes{};
    Answers answers = {answer_of(::pread(file, bytes.data(), bytes.size(), 5)),
                       answer_of(::fsync(file)), answer_of(::ftruncate(file, 0))};
    ::close(file);
    return answers;
  });
}

TEST(LinuxTest, ATransferWithoutBuffersAsksNothing) {
  expect_answers_of_linux([] {
    const IgnoresBrokenPipes ignores;
    const Kinds kinds;
    Answers answers;
    char byte = 0;
    const iovec nothing{&byte, 0};
    const auto ask = [&](const std::function<ssize_t(int)>& call) {
      for (std::string& answer : kinds.ask(call)) answers.push_back(std::move(answer));
    };
    for (const int count : {0, 1}) {
      ask([&](int file) { return ::readv(file, &nothing, count); });
      ask([&](int file) { return ::writev(file, &nothing, count); });
    }
    for (const int count : {-1, 1'025}) {
      ask([&](int file) { return ::readv(file, &nothing, count); });
      ask([&](int file) { return ::writev(file, &nothing, count); });
    }
    return answers;
  });
}

// Closes what the call opened.
std::string outcome_of(int file) {
  if (file < 0) return answer_of(file);
  ::close(file);
  return "opened";
}

TEST(LinuxTest, FilesOfTheKernelHaveNoOtherFlags) {
  expect_answers_of_linux([] {
    Answers answers;
    for (const int flags : {0, EFD_NONBLOCK | EFD_CLOEXEC, 4, -1}) {
      answers.push_back(outcome_of(::eventfd(0, flags)));
      answers.push_back(outcome_of(::timerfd_create(CLOCK_MONOTONIC, flags)));
      answers.push_back(outcome_of(::epoll_create1(flags & ~EFD_NONBLOCK)));
    }
    answers.push_back(outcome_of(::eventfd(0, EFD_SEMAPHORE)));
    for (const clockid_t clock : {CLOCK_REALTIME, CLOCK_BOOTTIME, CLOCK_TAI, CLOCK_MONOTONIC_RAW,
                                  CLOCK_PROCESS_CPUTIME_ID, clockid_t{99}}) {
      answers.push_back(outcome_of(::timerfd_create(clock, 0)));
    }
    const int timer = ::timerfd_create(CLOCK_MONOTONIC, 0);
    const itimerspec time{{0, 0}, {1, 0}};
    for (const int flags : {int{TFD_TIMER_ABSTIME}, 4, 8}) {
      answers.push_back(answer_of(::timerfd_settime(timer, flags, &time, nullptr)));
    }
    ::close(timer);
    return answers;
  });
}

TEST(LinuxTest, ConnectionsHaveNoOtherFlagsAndProtocols) {
  expect_answers_of_linux([] {
    std::array<int, 2> ends{};
    Answers answers = {
        answer_of(::pipe2(ends.data(), 4)),
        answer_of(::socketpair(AF_UNIX, SOCK_STREAM, IPPROTO_TCP, ends.data())),
        answer_of(::socketpair(AF_INET, SOCK_STREAM, 0, ends.data())),
        outcome_of(::socket(AF_INET, SOCK_STREAM, IPPROTO_TCP)),
        outcome_of(::socket(AF_INET, SOCK_STREAM, IPPROTO_UDP)),
    };
    const auto [listener, client] = listener_and_client();
    answers.push_back(outcome_of(::accept4(listener, nullptr, nullptr, 4)));
    answers.push_back(outcome_of(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC)));
    for (const int file : {listener, client}) ::close(file);
    return answers;
  });
}

// ------------------------------------------------------------------------------ options of sockets

std::string value_of(int file, int level, int option) {
  std::array<int, 4> value{};
  auto size = static_cast<socklen_t>(sizeof value);
  if (::getsockopt(file, level, option, value.data(), &size) != 0) return answer_of(-1);
  return std::to_string(value[0]) + " in " + std::to_string(size);
}

std::string answer_to_setting(int file, int level, int option, int value) {
  const int result = ::setsockopt(file, level, option, &value, sizeof value);
  return result < 0 ? answer_of(result) : value_of(file, level, option);
}

struct Named {
  int level;
  int option;
};

// Some sockets of each family, one after the other.
Answers ask_for_options(const std::vector<Named>& options, const std::vector<int>& values) {
  Answers answers;
  for (const int family : {AF_INET, AF_INET6, AF_UNIX}) {
    for (const auto& [level, option] : options) {
      const bool is_pair = family == AF_UNIX;
      const auto [file, other] =
          is_pair ? socket_pair() : std::pair(::socket(family, SOCK_STREAM, 0), -1);
      answers.push_back(value_of(file, level, option));
      for (const int value : values) {
        answers.push_back(answer_to_setting(file, level, option, value));
      }
      const char byte = 1;
      answers.push_back(answer_of(::setsockopt(file, level, option, &byte, sizeof byte)));
      ::close(file);
      if (is_pair) ::close(other);
    }
  }
  return answers;
}

TEST(LinuxTest, AFlagOfASocketIsZeroOrOne) {
  expect_answers_of_linux([] {
    return ask_for_options({{SOL_SOCKET, SO_BROADCAST},
                            {SOL_SOCKET, SO_DONTROUTE},
                            {SOL_SOCKET, SO_KEEPALIVE},
                            {SOL_SOCKET, SO_OOBINLINE},
                            {SOL_SOCKET, SO_REUSEADDR},
                            {IPPROTO_TCP, TCP_CORK},
                            {IPPROTO_TCP, TCP_NODELAY},
                            {IPPROTO_IP, IP_RECVERR},
                            {IPPROTO_IPV6, IPV6_V6ONLY}},
                           {0, 1, 5, -1});
  });
}

TEST(LinuxTest, ANumberOfASocketHasLimits) {
  expect_answers_of_linux([] {
    Answers answers = ask_for_options({{SOL_SOCKET, SO_BUSY_POLL},
                                       {IPPROTO_TCP, TCP_KEEPCNT},
                                       {IPPROTO_TCP, TCP_KEEPIDLE},
                                       {IPPROTO_TCP, TCP_KEEPINTVL},
                                       {IPPROTO_TCP, TCP_SYNCNT},
                                       {IPPROTO_TCP, TCP_USER_TIMEOUT}},
                                      {0, 1, 5, -1});
    const std::vector<Named> others = {{SOL_SOCKET, SO_RCVLOWAT},
                                       {SOL_SOCKET, SO_SNDBUF},
                                       {SOL_SOCKET, SO_RCVBUF},
                                       {SOL_SOCKET, SO_LINGER},
                                       {SOL_SOCKET, SO_RCVTIMEO}};
    for (std::string& answer : ask_for_options(others, {0, 1, 5, 50'000})) {
      answers.push_back(std::move(answer));
    }
    return answers;
  });
}

TEST(LinuxTest, OtherOptionsCannotBeSet) {
  expect_answers_of_linux([] {
    return ask_for_options({{SOL_SOCKET, SO_TYPE},
                            {SOL_SOCKET, SO_ERROR},
                            {SOL_SOCKET, SO_ACCEPTCONN},
                            {SOL_SOCKET, SO_DOMAIN},
                            {SOL_SOCKET, SO_PROTOCOL},
                            {SOL_SOCKET, 500},
                            {IPPROTO_TCP, 500},
                            {IPPROTO_IP, 500},
                            {IPPROTO_IPV6, 500},
                            {77, 1}},
                           {0, 1});
  });
}

// ------------------------------------------------------------------------------------------ names

std::string text_of_address(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address->sa_family == AF_INET) {
    sockaddr_in four{};
    std::memcpy(&four, address, sizeof four);
    ::inet_ntop(AF_INET, &four.sin_addr, text.data(), text.size());
    return std::string(text.data()) + " port " + std::to_string(ntohs(four.sin_port));
  }
  sockaddr_in6 six{};
  std::memcpy(&six, address, sizeof six);
  ::inet_ntop(AF_INET6, &six.sin6_addr, text.data(), text.size());
  return std::string(text.data()) + " port " + std::to_string(ntohs(six.sin6_port));
}

std::string answer_for(const char* node, const char* service, const addrinfo& hints) {
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(node, service, &hints, &found);
  if (error != 0) return ::gai_strerror(error);
  std::string text;
  for (const addrinfo* info = found; info; info = info->ai_next) {
    text += text_of_address(info->ai_addr) + " type " + std::to_string(info->ai_socktype) +
            " protocol " + std::to_string(info->ai_protocol);
    if (info->ai_canonname) text += std::string(" called ") + info->ai_canonname;
    text += '\n';
  }
  ::freeaddrinfo(found);
  return text;
}

addrinfo hints_for(int flags, int family = AF_UNSPEC, int type = SOCK_STREAM) {
  addrinfo hints{};
  hints.ai_flags = flags;
  hints.ai_family = family;
  hints.ai_socktype = type;
  return hints;
}

TEST(LinuxTest, AServiceIsANameOrAnyNumber) {
  expect_answers_of_linux([] {
    Answers answers;
    for (const char* const service :
         {"http", "https", "no-such-service", "99999", "65536", "65535", "-1", "+80", " 80", "80 ",
          "0x50", "", "80a", "00080", "99999999999"}) {
      for (const int flags : {0, AI_NUMERICSERV}) {
        answers.push_back(answer_for("127.0.0.1", service, hints_for(flags)));
      }
    }
    return answers;
  });
}

TEST(LinuxTest, AnAddressIsOfItsFamily) {
  expect_answers_of_linux([] {
    Answers answers;
    for (const char* const node : {"::1", "::", "::ffff:127.0.0.1", "fe80::1", "127.0.0.1", "127.1",
                                   "2130706433", "0x7f.1", ""}) {
      for (const int family : {AF_UNSPEC, AF_INET, AF_INET6, AF_UNIX, 99}) {
        for (const int flags : {0, AI_NUMERICHOST, AI_V4MAPPED, AI_CANONNAME, 0x8000}) {
          answers.push_back(answer_for(node, "80", hints_for(flags, family)));
        }
      }
    }
    return answers;
  });
}

// A bare machine has no name for this address, not even localhost.
TEST(LinuxTest, NoNodeIsTheLoopbackAddress) {
  expect_answers_of_linux([] {
    Answers answers;
    for (const int flags : {0, AI_PASSIVE, AI_CANONNAME, AI_NUMERICHOST}) {
      for (const int family : {AF_INET, AF_INET6}) {
        answers.push_back(answer_for(nullptr, "80", hints_for(flags, family)));
      }
    }
    for (const int type : {int{SOCK_DGRAM}, int{SOCK_RAW}, 77}) {
      answers.push_back(answer_for("127.0.0.1", "80", hints_for(0, AF_INET, type)));
    }
    return answers;
  });
}

}  // namespace
}  // namespace lockstep::intercept
