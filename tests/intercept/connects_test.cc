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

#include "linux_answers.h"

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

}  // namespace
}  // namespace lockstep::intercept
