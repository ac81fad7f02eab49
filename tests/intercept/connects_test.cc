#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "linux_answers.h"
#include "small_world.h"

// A nonblocking connect() begins an attempt, and a later one tells how it has ended. The same code
// runs on Linux.

namespace lockstep::intercept {
namespace {

sockaddr_in nobody() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(1);
  return address;
}

std::string ask_to_connect(int client, const sockaddr_in& address) {
  return answer_of(::connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address));
}

struct Listener {
  Listener() : file(make_socket()), address(nobody()) {
    address.sin_port = 0;
    socklen_t size = sizeof address;
    auto* const name = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(file, name, size), 0);
    EXPECT_EQ(::listen(file, 8), 0);
    EXPECT_EQ(::getsockname(file, name, &size), 0);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() { ::close(file); }

  [[nodiscard]] int accept() const { return ::accept(file, nullptr, nullptr); }

  int file;
  sockaddr_in address;
};

// Begins to connect, and waits for the end of the attempt, whose events are a part of the answer.
std::string attempt(int client, const sockaddr_in& address) {
  const std::string answer = ask_to_connect(client, address);
  pollfd asked{client, POLLOUT, 0};
  EXPECT_EQ(::poll(&asked, 1, -1), 1);
  return answer + ", then " + std::to_string(events_now(client));
}

std::string error_of(int client) {
  int error = 0;
  socklen_t size = sizeof error;
  EXPECT_EQ(::getsockopt(client, SOL_SOCKET, SO_ERROR, &error, &size), 0);
  return std::to_string(error);
}

TEST(LinuxTest, ASecondConnectTellsOfTheConnection) {
  expect_answers_of_linux([] {
    const Listener listener;
    const int client = make_socket(SOCK_NONBLOCK);
    Answers answers = {attempt(client, listener.address), ask_to_connect(client, listener.address),
                       ask_to_connect(client, listener.address)};
    const int server = listener.accept();
    answers.push_back(ask_to_connect(server, listener.address));
    for (const int file : {client, server}) ::close(file);
    return answers;
  });
}

TEST(LinuxTest, ASecondConnectThatMayWaitTellsOfTheConnection) {
  expect_answers_of_linux([] {
    const Listener listener;
    const int client = make_socket(SOCK_NONBLOCK);
    Answers answers = {attempt(client, listener.address)};
    EXPECT_EQ(::fcntl(client, F_SETFL, 0), 0);
    answers.push_back(ask_to_connect(client, listener.address));
    answers.push_back(ask_to_connect(client, listener.address));
    ::close(client);
    return answers;
  });
}

// Whichever call tells the error: the next attempt is possible once connect() has answered.
TEST(LinuxTest, ASecondConnectTellsOfTheRefusal) {
  expect_answers_of_linux([] {
    const Listener listener;
    const int client = make_socket(SOCK_NONBLOCK);
    char byte = 0;
    Answers answers = {attempt(client, nobody()),
                       ask_to_connect(client, nobody()),
                       std::to_string(events_now(client)),
                       error_of(client),
                       answer_of(::read(client, &byte, 1)),
                       attempt(client, nobody()),
                       error_of(client),
                       ask_to_connect(client, listener.address),
                       attempt(client, listener.address),
                       ask_to_connect(client, listener.address),
                       ask_to_connect(client, listener.address)};
    ::close(client);
    return answers;
  });
}

TEST(LinuxTest, ARefusalThatConnectHasWaitedForLeavesAFreshSocket) {
  expect_answers_of_linux([] {
    const Listener listener;
    const int client = make_socket();
    char byte = 0;
    Answers answers = {
        ask_to_connect(client, nobody()),         std::to_string(events_now(client)),
        answer_of(::read(client, &byte, 1)),      ask_to_connect(client, nobody()),
        ask_to_connect(client, listener.address), ask_to_connect(client, listener.address)};
    ::close(client);
    return answers;
  });
}

void reset(int server) {
  const linger at_once{1, 0};
  EXPECT_EQ(::setsockopt(server, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
  ::close(server);
}

// Only before connect() has told of the connection.
TEST(LinuxTest, ASecondConnectTellsOfAReset) {
  expect_answers_of_linux([] {
    const Listener listener;
    const int client = make_socket(SOCK_NONBLOCK);
    Answers answers = {attempt(client, listener.address)};
    reset(listener.accept());
    answers.push_back(ask_to_connect(client, listener.address));
    answers.push_back(attempt(client, listener.address));
    answers.push_back(ask_to_connect(client, listener.address));
    const int server = listener.accept();
    char byte = 'a';
    answers.push_back(answer_of(::write(client, &byte, 1)));
    answers.push_back(answer_of(::read(server, &byte, 1)));
    reset(server);
    answers.push_back(ask_to_connect(client, listener.address));
    answers.push_back(error_of(client));
    answers.push_back(ask_to_connect(client, listener.address));
    ::close(client);
    return answers;
  });
}

TEST(LinuxTest, ASecondConnectIsNotAskedForAnEndThatIsShut) {
  expect_answers_of_linux([] {
    const Listener listener;
    const int ended = make_socket(SOCK_NONBLOCK);
    Answers answers = {attempt(ended, listener.address)};
    ::close(listener.accept());
    answers.push_back(ask_to_connect(ended, listener.address));
    const int shut = make_socket(SOCK_NONBLOCK);
    answers.push_back(attempt(shut, listener.address));
    answers.push_back(answer_of(::shutdown(shut, SHUT_WR)));
    answers.push_back(ask_to_connect(shut, listener.address));
    for (const int file : {ended, shut}) ::close(file);
    return answers;
  });
}

// Answers no attempt: on Linux, the queue of the listener is full.
struct Silent {
  Silent() : address(nobody()) {
    if (Execution::current()) {
      address.sin_port = htons(SmallWorld::kSilentPort);
      return;
    }
    address.sin_port = 0;
    socklen_t size = sizeof address;
    auto* const name = reinterpret_cast<sockaddr*>(&address);
    files = {make_socket()};
    EXPECT_EQ(::bind(files[0], name, size), 0);
    EXPECT_EQ(::listen(files[0], 0), 0);
    EXPECT_EQ(::getsockname(files[0], name, &size), 0);
    for (int i = 0; i < 3; ++i) {
      files.push_back(make_socket(SOCK_NONBLOCK));
      ask_to_connect(files.back(), address);
    }
  }
  Silent(const Silent&) = delete;
  Silent& operator=(const Silent&) = delete;
  ~Silent() {
    for (const int file : files) ::close(file);
  }

  sockaddr_in address;
  std::vector<int> files;
};

TEST(LinuxTest, ShutdownEndsAnAttemptToConnect) {
  for (const int how : {SHUT_RD, SHUT_WR, SHUT_RDWR}) {
    expect_answers_of_linux([how] {
      const Silent silent;
      const int client = make_socket(SOCK_NONBLOCK);
      Answers answers = {ask_to_connect(client, silent.address),
                         std::to_string(events_now(client))};
      answers.push_back(answer_of(::shutdown(client, how)));
      answers.push_back(std::to_string(events_now(client)));
      char byte = 'a';
      if (how == SHUT_RD) answers.push_back(error_of(client));
      if (how != SHUT_RDWR) {
        answers.push_back(answer_of(::read(client, &byte, 1)));
        answers.push_back(answer_of(::send(client, &byte, 1, MSG_NOSIGNAL)));
        answers.push_back(std::to_string(events_now(client)));
      }
      answers.push_back(ask_to_connect(client, silent.address));
      answers.push_back(ask_to_connect(client, silent.address));
      ::close(client);
      return answers;
    });
  }
}

TEST(InterceptedSocketsTest, ShutdownWakesAThreadThatConnects) {
  int woken = 0;
  run_in_orders([&] {
    const Silent silent;
    const int client = make_socket();
    std::string outcome;
    std::thread other([&] { outcome = ask_to_connect(client, silent.address); });
    const bool is_ended = ::shutdown(client, SHUT_RDWR) == 0;
    other.join();
    EXPECT_EQ(outcome, is_ended ? "ECONNRESET" : "ETIMEDOUT");
    if (is_ended) ++woken;
    ::close(client);
  });
  EXPECT_GT(woken, 0);
}

}  // namespace
}  // namespace lockstep::intercept
