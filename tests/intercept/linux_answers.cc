#include "linux_answers.h"

#include <arpa/inet.h>
#include <errno.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <system_error>

#include "small_world.h"

namespace lockstep::intercept {

void expect_answers_of_linux(const std::function<Answers()>& ask) {
  const Answers real = ask();
  EXPECT_FALSE(real.empty());
  run_in_orders([&] { EXPECT_EQ(ask(), real); });
}

std::string answer_of(ssize_t result) {
  return result < 0 ? ::strerrorname_np(errno) : std::to_string(result);
}

int make_socket(int flags) {
  const int file = ::socket(AF_INET, SOCK_STREAM | flags, 0);
  if (file < 0) throw std::system_error(errno, std::generic_category(), "socket");
  return file;
}

std::pair<int, int> listener_and_client() {
  const int listener = make_socket();
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const name = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(listener, name, size), 0);
  EXPECT_EQ(::listen(listener, 1), 0);
  EXPECT_EQ(::getsockname(listener, name, &size), 0);
  const int client = make_socket();
  EXPECT_EQ(::connect(client, name, size), 0);
  return {listener, client};
}

std::pair<int, int> connection() {
  const auto [listener, client] = listener_and_client();
  const int server = ::accept(listener, nullptr, nullptr);
  ::close(listener);
  return {client, server};
}

std::pair<int, int> socket_pair() {
  std::array<int, 2> ends{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  return {ends[0], ends[1]};
}

Kinds::Kinds() {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  add("end of a pipe for reading", ends[0]);
  add("end of a pipe for writing", ends[1]);
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  add("end of a pair", ends[0]);
  add("other end", ends[1]);
  add("unconnected socket", make_socket());
  connect();
  add("eventfd", ::eventfd(0, 0));
  add("timerfd", ::timerfd_create(CLOCK_MONOTONIC, 0));
  add("epoll", ::epoll_create1(0));
}

Kinds::~Kinds() {
  for (const auto& [name, file] : all_) ::close(file);
}

Answers Kinds::ask(const std::function<ssize_t(int)>& call) const {
  Answers answers;
  for (const auto& [name, file] : all_) answers.push_back(name + ": " + answer_of(call(file)));
  return answers;
}

void Kinds::connect() {
  const auto [client, server] = connection();
  add("client", client);
  add("server", server);
}

int events_now(int file) {
  pollfd asked{file, POLLIN | POLLOUT | POLLRDHUP, 0};
  EXPECT_GE(::poll(&asked, 1, 0), 0);
  return asked.revents;
}

}  // namespace lockstep::intercept
