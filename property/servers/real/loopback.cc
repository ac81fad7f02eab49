#include "real/loopback.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <random>
#include <system_error>

namespace lockstep::support {

namespace {

sockaddr_in address_of(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool wait_for(int socket, short events, std::chrono::milliseconds limit) {
  pollfd waiting{socket, events, 0};
  return poll(&waiting, 1, static_cast<int>(limit.count())) == 1;
}

// Otherwise two small messages in a row wait for an acknowledgement that comes 40 ms later.
void send_at_once(int connection) {
  const int on = 1;
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

[[noreturn]] void throw_error(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// Leaves `errno` as it is.
int give_up(int socket) {
  const int error = errno;
  close(socket);
  errno = error;
  return -1;
}

}  // namespace

int listen_on(std::uint16_t port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener == -1) return -1;
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  const sockaddr_in address = address_of(port);
  if (bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      listen(listener, 16) != 0) {
    return give_up(listener);
  }
  return listener;
}

std::uint16_t port_of(int socket) {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

int connect_to(std::uint16_t port, std::chrono::milliseconds limit) {
  const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (connection == -1) return -1;
  const sockaddr_in address = address_of(port);
  if (connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    int error = errno;
    if (error != EINPROGRESS || !wait_for(connection, POLLOUT, limit)) return give_up(connection);
    socklen_t size = sizeof(error);
    getsockopt(connection, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return give_up(connection);
  }
  fcntl(connection, F_SETFL, fcntl(connection, F_GETFL) & ~O_NONBLOCK);
  send_at_once(connection);
  return connection;
}

int accept_from(int listener) {
  const int connection = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (connection != -1) send_at_once(connection);
  return connection;
}

std::uint16_t free_port() {
  std::random_device random;
  for (;;) {
    const auto port = static_cast<std::uint16_t>(12000 + random() % 20000);
    const int listener = listen_on(port);
    if (listener != -1) {
      close(listener);
      return port;
    }
    if (errno != EADDRINUSE) throw_error("a listener");
  }
}

// The port is bound without SO_REUSEADDR, and never listens.
std::uint16_t refusing_port() {
  for (;;) {
    const std::uint16_t port = free_port();
    const int bound = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bound == -1) throw_error("a socket");
    const sockaddr_in address = address_of(port);
    if (bind(bound, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) return port;
    close(bound);
  }
}

std::string four_letter_word(std::uint16_t port, std::string_view word,
                             std::chrono::milliseconds limit) {
  std::string answer;
  const int connection = connect_to(port, limit);
  if (connection == -1) return answer;
  const auto deadline = std::chrono::steady_clock::now() + limit;
  char bytes[4096];
  ssize_t size = send(connection, word.data(), word.size(), MSG_NOSIGNAL);
  while (size > 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0 || !wait_for(connection, POLLIN, left)) break;
    size = recv(connection, bytes, sizeof(bytes), 0);
    if (size > 0) answer.append(bytes, static_cast<std::size_t>(size));
  }
  close(connection);
  return answer;
}

}  // namespace lockstep::support
