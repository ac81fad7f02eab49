#include <errno.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "linux_answers.h"

// Connections that end with a reset, or are over: every call answers as in Linux.

namespace lockstep::intercept {
namespace {

// Ends the connection of `client`, by calls at the server's end.
using Ending = void (*)(int client, int server);

std::string read_one(int file) {
  char byte = 0;
  return answer_of(::read(file, &byte, 1));
}
std::string send_one(int file) { return answer_of(::send(file, "x", 1, MSG_NOSIGNAL)); }

std::string take_error(int file) {
  int error = 0;
  socklen_t size = sizeof error;
  EXPECT_EQ(::getsockopt(file, SOL_SOCKET, SO_ERROR, &error, &size), 0);
  return std::to_string(error);
}

std::string ask_peer(int file) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  return answer_of(::getpeername(file, reinterpret_cast<sockaddr*>(&address), &size));
}

// The answers depend on the order of the calls, because only one is told of a reset.
void ask_reader(int file, Answers& answers) {
  answers.push_back("events " + answer_of(events_now(file)));
  for (int i = 0; i < 4; ++i) {
    answers.push_back("read " + read_one(file));
    answers.push_back("events " + answer_of(events_now(file)));
  }
  answers.push_back("send " + send_one(file));
}
void ask_writer(int file, Answers& answers) {
  for (int i = 0; i < 3; ++i) {
    answers.push_back("send " + send_one(file));
    answers.push_back("events " + answer_of(events_now(file)));
  }
  answers.push_back("read " + read_one(file));
}
void ask_options(int file, Answers& answers) {
  answers.push_back("error " + take_error(file));
  answers.push_back("events " + answer_of(events_now(file)));
  answers.push_back("read " + read_one(file));
  answers.push_back("error " + take_error(file));
}
void ask_shutdown(int file, Answers& answers) {
  answers.push_back("peer " + ask_peer(file));
  for (const int how : {SHUT_RD, SHUT_WR, SHUT_RDWR}) {
    answers.push_back("shutdown " + answer_of(::shutdown(file, how)));
  }
  answers.push_back("peer " + ask_peer(file));
  answers.push_back("send " + send_one(file));
}

using Connect = std::pair<int, int> (*)();

void expect_answers_of_linux_after(Connect connect, Ending end) {
  expect_answers_of_linux([=] {
    Answers answers;
    for (const auto ask : {&ask_reader, &ask_writer, &ask_options, &ask_shutdown}) {
      const auto [client, server] = connect();
      end(client, server);
      ask(client, answers);
      ::close(client);
    }
    return answers;
  });
}

void set_linger(int file, int time) {
  const linger set{.l_onoff = 1, .l_linger = time};
  EXPECT_EQ(::setsockopt(file, SOL_SOCKET, SO_LINGER, &set, sizeof set), 0);
}

void send_two(int file) { EXPECT_EQ(::send(file, "xy", 2, 0), 2); }

TEST(LinuxTest, ACloseThatDoesNotLingerResets) {
  constexpr Ending kAtOnce = [](int, int server) {
    set_linger(server, 0);
    ::close(server);
  };
  constexpr Ending kAfterBytes = [](int, int server) {
    send_two(server);
    set_linger(server, 0);
    ::close(server);
  };
  constexpr Ending kLingers = [](int, int server) {
    set_linger(server, 1);
    ::close(server);
  };
  expect_answers_of_linux_after(&connection, kAtOnce);
  expect_answers_of_linux_after(&connection, kAfterBytes);
  expect_answers_of_linux_after(&connection, kLingers);
  expect_answers_of_linux_after(&socket_pair, kAtOnce);
}

// A reader who has seen the end of the stream is not told of the reset.
TEST(LinuxTest, AResetMayFollowTheEndOfTheStream) {
  constexpr Ending kServerHasShut = [](int client, int server) {
    send_two(client);
    EXPECT_EQ(::shutdown(server, SHUT_WR), 0);
    ::close(server);
  };
  constexpr Ending kClientHasShut = [](int client, int server) {
    send_two(client);
    EXPECT_EQ(::shutdown(client, SHUT_WR), 0);
    ::close(server);
  };
  constexpr Ending kBothHaveShut = [](int client, int server) {
    send_two(client);
    EXPECT_EQ(::shutdown(server, SHUT_WR), 0);
    EXPECT_EQ(::shutdown(client, SHUT_WR), 0);
    ::close(server);
  };
  expect_answers_of_linux_after(&connection, kServerHasShut);
  expect_answers_of_linux_after(&connection, kClientHasShut);
  expect_answers_of_linux_after(&connection, kBothHaveShut);
  expect_answers_of_linux_after(&socket_pair, kServerHasShut);
  expect_answers_of_linux_after(&socket_pair, kClientHasShut);
  expect_answers_of_linux_after(&socket_pair, kBothHaveShut);
}

TEST(LinuxTest, AnEndThatHasNotReadAllResets) {
  constexpr Ending kUnread = [](int client, int server) {
    send_two(client);
    ::close(server);
  };
  constexpr Ending kUnreadAfterBytes = [](int client, int server) {
    send_two(client);
    send_two(server);
    ::close(server);
  };
  constexpr Ending kReadsNoMore = [](int client, int server) {
    send_two(client);
    EXPECT_EQ(::shutdown(server, SHUT_RD), 0);
    ::close(server);
  };
  expect_answers_of_linux_after(&connection, kUnread);
  expect_answers_of_linux_after(&connection, kUnreadAfterBytes);
  expect_answers_of_linux_after(&connection, kReadsNoMore);
  expect_answers_of_linux_after(&socket_pair, kUnread);
  expect_answers_of_linux_after(&socket_pair, kUnreadAfterBytes);
  expect_answers_of_linux_after(&socket_pair, kReadsNoMore);
}

TEST(LinuxTest, AnEndThatHasReadAllEndsTheStream) {
  constexpr Ending kCloses = [](int, int server) { ::close(server); };
  constexpr Ending kSendsBefore = [](int, int server) {
    send_two(server);
    ::close(server);
  };
  constexpr Ending kBothHaveShut = [](int client, int server) {
    EXPECT_EQ(::shutdown(client, SHUT_WR), 0);
    EXPECT_EQ(::shutdown(server, SHUT_WR), 0);
    ::close(server);
  };
  expect_answers_of_linux_after(&connection, kCloses);
  expect_answers_of_linux_after(&connection, kSendsBefore);
  expect_answers_of_linux_after(&connection, kBothHaveShut);
  expect_answers_of_linux_after(&socket_pair, kCloses);
  expect_answers_of_linux_after(&socket_pair, kSendsBefore);
  expect_answers_of_linux_after(&socket_pair, kBothHaveShut);
}

std::pair<int, int> client_and_listener() {
  const auto [listener, client] = listener_and_client();
  return {client, listener};
}

TEST(LinuxTest, AListenerResetsWhatItHasNotAccepted) {
  constexpr Ending kCloses = [](int, int listener) { ::close(listener); };
  constexpr Ending kShuts = [](int client, int listener) {
    send_two(client);
    EXPECT_EQ(::shutdown(listener, SHUT_RD), 0);
    ::close(listener);
  };
  expect_answers_of_linux_after(&client_and_listener, kCloses);
  expect_answers_of_linux_after(&client_and_listener, kShuts);
}

TEST(LinuxTest, AResetConnectionCanBeAccepted) {
  expect_answers_of_linux([] {
    const auto [listener, client] = listener_and_client();
    set_linger(client, 0);
    ::close(client);
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    const int server = ::accept(listener, reinterpret_cast<sockaddr*>(&address), &size);
    Answers answers = {std::to_string(address.ss_family), std::to_string(size), ask_peer(server)};
    ask_reader(server, answers);
    for (const int file : {listener, server}) ::close(file);
    return answers;
  });
}

}  // namespace
}  // namespace lockstep::intercept
