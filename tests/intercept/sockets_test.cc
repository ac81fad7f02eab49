#include <arpa/inet.h>
#include <errno.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "small_world.h"

// Connections between threads: addresses, half-closed connections, and writes that nobody reads.

namespace lockstep::intercept {
namespace {

std::string text_of(const sockaddr_in& address) {
  return address.sin_family == AF_INET ? std::string(inet_ntoa(address.sin_addr)) + ":" +
                                             std::to_string(ntohs(address.sin_port))
                                       : "family " + std::to_string(address.sin_family);
}

using NameCall = int (*)(int, sockaddr*, socklen_t*) noexcept;
sockaddr_in name_of(NameCall call, int file) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  EXPECT_EQ(call(file, reinterpret_cast<sockaddr*>(&address), &size), 0);
  EXPECT_EQ(size, sizeof address);
  return address;
}

sockaddr_in at(in_addr_t address, std::uint16_t port) {
  sockaddr_in made{};
  made.sin_family = AF_INET;
  made.sin_addr.s_addr = htonl(address);
  made.sin_port = htons(port);
  return made;
}

int connect_to(int file, const sockaddr_in& address) {
  return ::connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

int tcp_socket() { return ::socket(AF_INET, SOCK_STREAM, 0); }

int listener_at(const sockaddr_in& address) {
  const int file = tcp_socket();
  EXPECT_EQ(::bind(file, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::listen(file, 5), 0);
  return file;
}

// Both ends of a connection between threads.
struct Connected {
  Connected() : listener(listener_at(at(INADDR_LOOPBACK, 0))), client(tcp_socket()) {
    EXPECT_EQ(connect_to(client, name_of(&::getsockname, listener)), 0);
    server = ::accept(listener, nullptr, nullptr);
  }
  Connected(const Connected&) = delete;
  Connected& operator=(const Connected&) = delete;
  ~Connected() {
    for (const int file : {listener, client, server}) ::close(file);
  }
  int listener;
  int client;
  int server = -1;
};

short events_of(int file) {
  pollfd asked{file, POLLIN | POLLOUT | POLLRDHUP, 0};
  ::poll(&asked, 1, 0);
  return asked.revents;
}

TEST(InterceptedSocketsTest, BothEndsKnowTheirAddresses) {
  run_in_orders([] {
    const int listener = listener_at(at(INADDR_ANY, 2181));
    const int client = tcp_socket();
    EXPECT_EQ(text_of(name_of(&::getsockname, client)), "0.0.0.0:0");
    ASSERT_EQ(connect_to(client, at(INADDR_LOOPBACK, 2181)), 0);
    sockaddr_in visitor{};
    socklen_t size = sizeof visitor;
    const int server = ::accept(listener, reinterpret_cast<sockaddr*>(&visitor), &size);
    EXPECT_EQ(size, sizeof visitor);
    const std::string own = text_of(name_of(&::getsockname, client));
    EXPECT_EQ(own, "127.0.0.1:30000");
    EXPECT_EQ(text_of(visitor), own);
    EXPECT_EQ(text_of(name_of(&::getpeername, server)), own);
    EXPECT_EQ(text_of(name_of(&::getsockname, server)), "127.0.0.1:2181");
    EXPECT_EQ(text_of(name_of(&::getpeername, client)), "127.0.0.1:2181");
    for (const int file : {listener, client, server}) ::close(file);
  });
}

TEST(InterceptedSocketsTest, SocketsOfIpv6HaveItsAddresses) {
  run_in_orders([] {
    const int listener = ::socket(AF_INET6, SOCK_STREAM, 0);
    sockaddr_in6 any{};
    any.sin6_family = AF_INET6;
    any.sin6_port = htons(2181);
    ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&any), sizeof any), 0);
    ASSERT_EQ(::listen(listener, 1), 0);
    const int client = tcp_socket();
    ASSERT_EQ(connect_to(client, at(INADDR_LOOPBACK, 2181)), 0);
    sockaddr_in6 visitor{};
    socklen_t size = sizeof visitor;
    const int server = ::accept4(listener, reinterpret_cast<sockaddr*>(&visitor), &size, 0);
    EXPECT_EQ(size, sizeof visitor);
    EXPECT_EQ(visitor.sin6_family, AF_INET6);
    EXPECT_EQ(visitor.sin6_port, htons(30'000));
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET6, &visitor.sin6_addr, text.data(), text.size());
    EXPECT_STREQ(text.data(), "::ffff:127.0.0.1");
    for (const int file : {listener, client, server}) ::close(file);
  });
}

TEST(InterceptedSocketsTest, PortsAreNeverShared) {
  run_in_orders([] {
    const int chosen = listener_at(at(INADDR_LOOPBACK, 30'000));
    const int given = listener_at(at(INADDR_LOOPBACK, 0));
    EXPECT_EQ(text_of(name_of(&::getsockname, given)), "127.0.0.1:30001");
    const int unbound = tcp_socket();
    EXPECT_EQ(::listen(unbound, 1), 0);
    EXPECT_EQ(text_of(name_of(&::getsockname, unbound)), "0.0.0.0:30002");
    for (const int file : {chosen, given, unbound}) ::close(file);
  });
}

TEST(InterceptedSocketsTest, ARefusedSocketConnectsAgain) {
  run_in_orders([] {
    const int client = tcp_socket();
    EXPECT_EQ(connect_to(client, at(INADDR_LOOPBACK, 2181)), -1);
    EXPECT_EQ(errno, ECONNREFUSED);
    const int listener = listener_at(at(INADDR_LOOPBACK, 2181));
    EXPECT_EQ(connect_to(client, at(INADDR_LOOPBACK, 2181)), 0);
    EXPECT_EQ(events_of(client), POLLOUT);
    ::close(client);
    ::close(listener);
  });
}

// The client says that it has sent all, and still receives an answer.
void converse(int client, int server) {
  std::thread other([=] {
    EXPECT_EQ(::send(client, "all", 3, 0), 3);
    EXPECT_EQ(::shutdown(client, SHUT_WR), 0);
    EXPECT_EQ(::send(client, "more", 4, MSG_NOSIGNAL), -1);
    EXPECT_EQ(errno, EPIPE);
    char answer[2];
    EXPECT_EQ(::recv(client, answer, sizeof answer, MSG_WAITALL), 2);
  });
  char bytes[8];
  EXPECT_EQ(::recv(server, bytes, sizeof bytes, MSG_WAITALL), 3);
  EXPECT_EQ(::recv(server, bytes, sizeof bytes, 0), 0);
  EXPECT_EQ(events_of(server), POLLIN | POLLOUT | POLLRDHUP);
  EXPECT_EQ(::send(server, "ok", 2, MSG_NOSIGNAL), 2);
  other.join();
  EXPECT_EQ(::shutdown(server, SHUT_WR), 0);
  EXPECT_EQ(events_of(server), POLLIN | POLLOUT | POLLRDHUP | POLLHUP);
}

TEST(InterceptedSocketsTest, AShutDirectionEndsForTheOtherEnd) {
  run_in_orders([] {
    const Connected ends;
    converse(ends.client, ends.server);
  });
}

TEST(InterceptedSocketsTest, EndsOfASocketPairAreSockets) {
  run_in_orders([] {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    const int on = 1;
    EXPECT_EQ(::setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &on, sizeof on), 0);
    int shown = -1;
    socklen_t size = sizeof shown;
    EXPECT_EQ(::getsockopt(ends[0], SOL_SOCKET, SO_ERROR, &shown, &size), 0);
    EXPECT_EQ(shown, 0);
    EXPECT_EQ(::getsockopt(ends[0], SOL_SOCKET, SO_TYPE, &shown, &size), 0);
    EXPECT_EQ(shown, SOCK_STREAM);
    sockaddr address{};
    for (const NameCall call : {NameCall(&::getpeername), NameCall(&::getsockname)}) {
      size = sizeof address;
      EXPECT_EQ(call(ends[0], &address, &size), 0);
      EXPECT_EQ(address.sa_family, AF_UNIX);
      EXPECT_EQ(size, sizeof(sa_family_t));
    }
    EXPECT_EQ(::listen(ends[0], 1), -1);
    EXPECT_EQ(errno, EOPNOTSUPP);
    converse(ends[0], ends[1]);
    ::close(ends[0]);
    ::close(ends[1]);
  });
}

// In a pair, an end that no longer reads is known to the other one.
TEST(InterceptedSocketsTest, APairsReaderMayEndFirst) {
  run_in_orders([] {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    EXPECT_EQ(::shutdown(ends[0], SHUT_RD), 0);
    EXPECT_EQ(::send(ends[1], "x", 1, MSG_NOSIGNAL), -1);
    EXPECT_EQ(errno, EPIPE);
    char byte = 0;
    EXPECT_EQ(::recv(ends[0], &byte, 1, 0), 0);
    EXPECT_EQ(::send(ends[0], "x", 1, 0), 1);
    ::close(ends[0]);
    EXPECT_EQ(events_of(ends[1]), POLLIN | POLLOUT | POLLRDHUP | POLLHUP);
    EXPECT_EQ(::recv(ends[1], &byte, 1, 0), 1);
    EXPECT_EQ(::recv(ends[1], &byte, 1, 0), 0);
    ::close(ends[1]);
  });
}

void set_timeout(int file, int option, int ms) {
  const timeval time{.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000L};
  EXPECT_EQ(::setsockopt(file, SOL_SOCKET, option, &time, sizeof time), 0);
}

// Expects that the call fails with that error after that time.
void expect_timeout(const std::function<ssize_t()>& call, int error, int ms) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(call(), -1);
  EXPECT_EQ(errno, error);
  EXPECT_EQ(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(ms));
}

TEST(InterceptedSocketsTest, ABlockingCallEndsAtItsTimeout) {
  run_in_orders([] {
    const Connected ends;
    char byte = 0;
    set_timeout(ends.client, SO_RCVTIMEO, 1'500);
    expect_timeout([&] { return ::recv(ends.client, &byte, 1, 0); }, EAGAIN, 1'500);
    EXPECT_EQ(::send(ends.server, "xy", 2, 0), 2);
    EXPECT_EQ(::recv(ends.client, &byte, 1, 0), 1);
    char more[2];
    EXPECT_EQ(::recv(ends.client, more, sizeof more, MSG_WAITALL), 1);
    set_timeout(ends.listener, SO_RCVTIMEO, 20);
    expect_timeout([&] { return ::accept(ends.listener, nullptr, nullptr); }, EAGAIN, 20);
    int pair[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    set_timeout(pair[0], SO_SNDTIMEO, 30);
    const std::string much(100'000, 'x');
    EXPECT_EQ(::send(pair[0], much.data(), much.size(), 0), 65'536);
    expect_timeout([&] { return ::send(pair[0], "x", 1, 0); }, EAGAIN, 30);
    for (const int file : pair) ::close(file);
  });
}

TEST(InterceptedSocketsTest, OptionsKeepTheirValues) {
  run_in_orders([] {
    const Connected ends;
    const auto option_of = [](int file, int level, int option) {
      int shown = -1;
      socklen_t size = sizeof shown;
      EXPECT_EQ(::getsockopt(file, level, option, &shown, &size), 0);
      EXPECT_EQ(size, sizeof shown);
      return shown;
    };
    EXPECT_EQ(option_of(ends.listener, SOL_SOCKET, SO_ACCEPTCONN), 1);
    EXPECT_EQ(option_of(ends.client, SOL_SOCKET, SO_ACCEPTCONN), 0);
    EXPECT_EQ(option_of(ends.client, SOL_SOCKET, SO_KEEPALIVE), 0);
    const int on = 1;
    EXPECT_EQ(::setsockopt(ends.client, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on), 0);
    EXPECT_EQ(option_of(ends.client, SOL_SOCKET, SO_KEEPALIVE), 1);
    set_timeout(ends.client, SO_RCVTIMEO, 1'500);
    timeval time{};
    socklen_t size = sizeof time;
    EXPECT_EQ(::getsockopt(ends.client, SOL_SOCKET, SO_RCVTIMEO, &time, &size), 0);
    EXPECT_EQ(time.tv_sec, 1);
    EXPECT_EQ(time.tv_usec, 500'000);
    const timeval bad{.tv_sec = 0, .tv_usec = 1'000'000};
    EXPECT_EQ(::setsockopt(ends.client, SOL_SOCKET, SO_RCVTIMEO, &bad, sizeof bad), -1);
    EXPECT_EQ(errno, EDOM);
  });
}

// A thread that closes a number wakes no other one: Linux keeps the connection open until the call
// is over.
TEST(InterceptedSocketsTest, ACallOutlastsItsNumber) {
  run_in_orders([] {
    const Connected ends;
    std::thread other([file = ends.client] {
      char byte = 0;
      EXPECT_EQ(::recv(file, &byte, 1, 0), 1);
      EXPECT_EQ(byte, 'x');
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(::close(ends.client), 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(events_of(ends.server), POLLOUT);
    EXPECT_EQ(::send(ends.server, "x", 1, MSG_NOSIGNAL), 1);
    other.join();
    EXPECT_EQ(events_of(ends.server), POLLIN | POLLOUT | POLLRDHUP);
  });
}

TEST(InterceptedSocketsTest, AListenerThatIsShutWakesItsAccept) {
  run_in_orders([] {
    const int listener = listener_at(at(INADDR_LOOPBACK, 0));
    const sockaddr_in address = name_of(&::getsockname, listener);
    std::thread other([=] {
      EXPECT_EQ(::accept(listener, nullptr, nullptr), -1);
      EXPECT_EQ(errno, EINVAL);
    });
    EXPECT_EQ(::shutdown(listener, SHUT_WR), 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(events_of(listener), 0);
    EXPECT_EQ(::shutdown(listener, SHUT_RDWR), 0);
    other.join();
    EXPECT_EQ(events_of(listener), POLLOUT | POLLHUP);
    const int client = tcp_socket();
    EXPECT_EQ(::shutdown(client, SHUT_RDWR), -1);
    EXPECT_EQ(errno, ENOTCONN);
    EXPECT_EQ(connect_to(client, address), -1);
    EXPECT_EQ(errno, ECONNREFUSED);
    ::close(client);
    ::close(listener);
  });
}

int reusing_socket() {
  const int file = tcp_socket();
  const int on = 1;
  EXPECT_EQ(::setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), 0);
  return file;
}

// Returns 0 or the error.
int bind_to(int file, const sockaddr_in& address) {
  return ::bind(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
}

// An accept that waits keeps the listener of a closed number, and its port, until a client
// connects.
TEST(InterceptedSocketsTest, AnAcceptOutlastsTheNumberOfItsListener) {
  run_in_orders([] {
    const sockaddr_in address = at(INADDR_LOOPBACK, 2181);
    const int listener = listener_at(address);
    std::thread other([=] {
      const int server = ::accept(listener, nullptr, nullptr);
      EXPECT_GE(server, 0);
      EXPECT_EQ(::send(server, "x", 1, MSG_NOSIGNAL), 1);
      ::close(server);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(::close(listener), 0);
    const int client = tcp_socket();
    EXPECT_EQ(bind_to(client, address), EADDRINUSE);
    EXPECT_EQ(connect_to(client, address), 0);
    char byte = 0;
    EXPECT_EQ(::recv(client, &byte, 1, 0), 1);
    other.join();
    const int late = tcp_socket();
    EXPECT_EQ(connect_to(late, address), -1);
    EXPECT_EQ(errno, ECONNREFUSED);
    for (const int file : {client, late}) ::close(file);
  });
}

TEST(InterceptedSocketsTest, APortHasOneListener) {
  run_in_orders([] {
    const sockaddr_in address = at(INADDR_LOOPBACK, 2181);
    const int a = reusing_socket();
    const int b = reusing_socket();
    const int greedy = tcp_socket();
    EXPECT_EQ(bind_to(a, address), 0);
    EXPECT_EQ(bind_to(a, at(INADDR_LOOPBACK, 2182)), EINVAL);
    EXPECT_EQ(bind_to(greedy, at(INADDR_ANY, 2181)), EADDRINUSE);
    EXPECT_EQ(bind_to(b, address), 0);
    // Nobody listens yet.
    EXPECT_EQ(connect_to(greedy, address), -1);
    EXPECT_EQ(errno, ECONNREFUSED);
    EXPECT_EQ(::listen(a, 1), 0);
    EXPECT_EQ(::listen(b, 1), -1);
    EXPECT_EQ(errno, EADDRINUSE);
    const int late = reusing_socket();
    EXPECT_EQ(bind_to(late, address), EADDRINUSE);
    EXPECT_EQ(bind_to(late, at(INADDR_LOOPBACK + 1, 2181)), 0);
    for (const int file : {a, b, greedy, late}) ::close(file);
  });
}

TEST(InterceptedSocketsTest, AnEndThatHasNotReadAllResetsTheConnection) {
  run_in_orders([] {
    const Connected ends;
    EXPECT_EQ(::send(ends.client, "unread", 6, 0), 6);
    EXPECT_EQ(::send(ends.server, "x", 1, 0), 1);
    ::close(ends.server);
    char byte = 0;
    EXPECT_EQ(::recv(ends.client, &byte, 1, 0), 1);
    EXPECT_EQ(::recv(ends.client, &byte, 1, 0), -1);
    EXPECT_EQ(errno, ECONNRESET);
    EXPECT_EQ(::recv(ends.client, &byte, 1, 0), 0);
    EXPECT_EQ(::send(ends.client, "x", 1, MSG_NOSIGNAL), -1);
    EXPECT_EQ(errno, EPIPE);
  });
}

// -------------------------------------------------------------------------------------- SIGPIPE

void write_to_nobody() {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  EXPECT_EQ(::write(ends[1], "x", 1), -1);
  EXPECT_EQ(errno, EPIPE);
  ::close(ends[1]);
}

void send_to_nobody(int flags) {
  const Connected ends;
  ::close(ends.server);
  // The first one asks whether somebody is there.
  EXPECT_EQ(::send(ends.client, "x", 1, flags), 1);
  EXPECT_EQ(::send(ends.client, "x", 1, flags), -1);
  EXPECT_EQ(errno, EPIPE);
}

// Whether the process survives the body, with that action for SIGPIPE.
bool survives(sighandler_t action, const std::function<void()>& body) {
  bool has_survived = false;
  SmallWorld world;
  world.run([&] {
    ::signal(SIGPIPE, action);
    body();
    has_survived = true;
  });
  EXPECT_EQ(world.misuses(), std::vector<std::string>());
  return has_survived;
}

int broken_pipes = 0;

TEST(BrokenPipeTest, EndsTheProcessByDefault) {
  EXPECT_FALSE(survives(SIG_DFL, &write_to_nobody));
  EXPECT_FALSE(survives(SIG_DFL, [] { send_to_nobody(0); }));
  EXPECT_TRUE(survives(SIG_DFL, [] { send_to_nobody(MSG_NOSIGNAL); }));
}

TEST(BrokenPipeTest, IsAnErrorIfTheSignalIsIgnored) {
  EXPECT_TRUE(survives(SIG_IGN, &write_to_nobody));
  EXPECT_TRUE(survives(SIG_IGN, [] { send_to_nobody(0); }));
}

TEST(BrokenPipeTest, IsAnErrorIfTheSignalIsBlocked) {
  EXPECT_TRUE(survives(SIG_DFL, [] {
    sigset_t broken_pipe;
    ::sigemptyset(&broken_pipe);
    ::sigaddset(&broken_pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    write_to_nobody();
  }));
}

TEST(BrokenPipeTest, IsToldToAHandler) {
  broken_pipes = 0;
  EXPECT_TRUE(survives([](int) { ++broken_pipes; }, &write_to_nobody));
  EXPECT_EQ(broken_pipes, 1);
}

}  // namespace
}  // namespace lockstep::intercept
